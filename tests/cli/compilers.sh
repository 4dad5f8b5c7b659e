# What tests of the compilers share.

# The LLVMs to try: those the build has a pass for.
LLVMS=${FORESEE_LLVMS:-$(ls "$FORESEE_ROOT"/lib/foresee/pass-*.so | sed 's/.*pass-\(.*\)\.so/\1/')}

# instrumented FILE NAME: its code registers with the runtime.
instrumented() {
	has <(nm "$1") 'foresee_module_register' "$2"
}

# recordable FILE NAME: it loads the runtime, and the runtime is found.
recordable() {
	ldd "$1" >libraries 2>&1
	if grep -qF "libforesee_rt.so => $FORESEE_ROOT/lib/foresee" libraries; then
		pass "$2"
	else
		fail "$2"
		note libraries
	fi
}
