# From prototypes (gcc -aux-info) to calls, a function each:
#
#	awk -f calls.awk SYMBOLS RECIPES PROTOTYPES >calls.h 2>counts
#
# SYMBOLS are names that the libraries have, a line each; RECIPES are lines "name: call" for functions
# that need something real, and "name! reason" for those that are not called.  In a call a, b, c and d are
# fresh memory, v is 0 or 1.  What comes out is X(name, whether the memory may hold anything, call).  Taken are functions that have a pointer to something they may write to, or
# that return one.
function argument(type,   plain) {
	if (type ~ /[a-z*] *__[a-z0-9_]+$/ && type !~ /^(const )?(enum|struct|union) [a-z_]*$/)
		sub(/ *__[a-z0-9_]+$/, "", type) # a parameter's name, of an inline function
	plain = type
	gsub(/(volatile|restrict) */, "", plain)
	if (plain in ready)
		return ready[plain]
	if (plain ~ /\(\*\)|_fn_t$|_func_t$|_function$|handler_t$/)
		return "(void *)nothing"
	if (plain ~ /\*/ && (plain ~ /^const /))
		return "(void *)spare"
	if (plain ~ /\*/ || plain ~ /^(__SOCKADDR_ARG|__caddr_t|res_state)$/)
		return "(void *)" substr("abcd", ++rooms > 4 ? 4 : rooms, 1)
	if (plain ~ /^__CONST_SOCKADDR_ARG$/)
		return "(void *)spare"
	return "(" type "){ 1 }"
}

function is_wanted(type) {
	return type ~ /\*/ && type !~ /^const [^*]*\*$/ && type !~ /\(/ || type ~ /^(__SOCKADDR_ARG|res_state)$/
}

function take(name, type, n, types,   i, call, wanted) {
	wanted = type ~ /\*/
	for (i = 1; i <= n; i++)
		wanted = wanted || is_wanted(types[i])
	for (i = 1; i <= n; i++)
		wanted = wanted && types[i] !~ /_Float/ # those are gcc's alone
	if (!wanted)
		return
	found++
	if (!(name in symbols)) {
		absent++
		return
	}
	if (name in stopped) {
		left++
		return
	}
	rooms = 0
	if (name in recipes) {
		call = recipes[name]
		used[name]
	} else {
		call = name "("
		for (i = 1; i <= n && types[i] != "void"; i++)
			if (types[i] != "...")
				call = call (i > 1 ? ", " : "") argument(types[i])
		call = call ")"
	}
	printf "X(%s, %d, %s%s)\n", name, !(name in recipes), type ~ /\*/ ? "return (void *)(uintptr_t)" : "", call
}

BEGIN {
	FS = "\n"
	ready["int"] = "(10 + v)"
	ready["unsigned int"] = ready["int"]
	ready["const char *"] = "text[v]"
	ready["const unsigned char *"] = ready["const void *"] = "(void *)text[v]"
	ready["const wchar_t *"] = "wide[v]"
	ready["const char **"] = "(const char *[]){ text[v] }"
	ready["const wchar_t **"] = "(const wchar_t *[]){ wide[v] }"
	ready["char *const *"] = "words"
	ready["FILE *"] = ready["__FILE *"] = "lines"
	ready["DIR *"] = "here"
	ready["locale_t"] = "c_locale"
	ready["size_t"] = ready["socklen_t"] = "64"
	ready["const time_t *"] = "&times_of[v]"
	ready["__compar_fn_t"] = "by_value"
	ready["__va_list_tag *"] = "list"
	ready["pid_t"] = ready["__pid_t"] = "0"
	ready["pthread_t"] = "pthread_self()"
	split("float|double|long double|_Float32|_Float64|_Float128|_Float32x|_Float64x", real, "|")
	for (i in real)
		ready[real[i]] = "(7.5 + v)"
}

FNR == 1 {
	file++
}

file == 1 {
	symbols[$0]
	next
}

file == 2 {
	at = match($0, /[:!]/)
	if ($0 ~ /^#/ || !at)
		next
	if (substr($0, at, 1) == ":")
		recipes[substr($0, 1, at - 1)] = substr($0, at + 2)
	else
		stopped[substr($0, 1, at - 1)]
	next
}

# /* FILE:LINE:KIND */ extern TYPE NAME (TYPE, TYPE);
match($0, /^\/\* [^ :]*:/) {
	if ($0 ~ /^\/\* [^ ]*\/(linux|asm|gcc)\//)
		next
	line = substr($0, index($0, "*/") + 3)
	sub(/^(extern|static) /, "", line)
	sub(/;.*$/, "", line)
	at = index(line, " (")
	name = type = substr(line, 1, at - 1)
	sub(/.*[ *]/, "", name)
	type = substr(type, 1, length(type) - length(name))
	rest = substr(line, at + 2)
	sub(/\)$/, "", rest)
	if (name ~ /^_/ || name in seen)
		next
	seen[name]
	n = depth = 0
	from = 1
	for (i = 1; i <= length(rest) + 1; i++) {
		c = substr(rest, i, 1)
		depth += (c == "(") - (c == ")")
		if (c == "" || c == "," && depth == 0) {
			types[++n] = substr(rest, from, i - from)
			from = i + 2
		}
	}
	take(name, type, n, types)
}

END {
	for (name in recipes)
		if (!(name in used))
			print "no such function: " name >"/dev/stderr"
	printf "found %d absent %d left %d\n", found, absent, left >"/dev/stderr"
}
