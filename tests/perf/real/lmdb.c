/*
 * A program around LMDB for bench-capture-real.sh: one thread writes transactions of 100 records, three
 * look records up.
 *
 *	lmdb DIRECTORY TRANSACTIONS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "lmdb.h"

#define RECORDS 20000u

static MDB_env *env;
static MDB_dbi table;
static int transactions;

static void need(int status)
{
	if (status == 0)
		return;
	fprintf(stderr, "lmdb: %s\n", mdb_strerror(status));
	exit(1);
}

static void *put(void *arg)
{
	unsigned state = 1;

	for (int i = 0; i < transactions; i++) {
		MDB_txn *txn;

		need(mdb_txn_begin(env, NULL, 0, &txn));
		for (int k = 0; k < 100; k++) {
			unsigned key = (state = state * 1103515245u + 12345u) / 7 % RECORDS;
			unsigned value[8] = { key, (unsigned)i };
			MDB_val name = { sizeof(key), &key }, data = { sizeof(value), value };

			need(mdb_put(txn, table, &name, &data, 0));
		}
		need(mdb_txn_commit(txn));
	}
	return arg;
}

static void *get(void *arg)
{
	unsigned state = (unsigned)(long)arg;

	for (int i = 0; i < transactions; i++) {
		MDB_txn *txn;

		need(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn));
		for (int k = 0; k < 100; k++) {
			unsigned key = (state = state * 1103515245u + 12345u) / 7 % RECORDS;
			MDB_val name = { sizeof(key), &key }, data;

			if (mdb_get(txn, table, &name, &data) == 0 &&
			    *(unsigned *)data.mv_data != key)
				exit(1);
		}
		mdb_txn_abort(txn);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t team[4];
	MDB_txn *txn;

	if (argc != 3)
		return 2;
	transactions = atoi(argv[2]);
	need(mdb_env_create(&env));
	need(mdb_env_set_mapsize(env, 64u << 20));
	need(mdb_env_open(env, argv[1], MDB_NOSYNC, 0600));
	need(mdb_txn_begin(env, NULL, 0, &txn));
	need(mdb_dbi_open(txn, NULL, MDB_INTEGERKEY, &table));
	need(mdb_txn_commit(txn));
	for (long i = 0; i < 4; i++)
		pthread_create(&team[i], NULL, i ? get : put, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(team[i], NULL);
	mdb_env_close(env);
	return 0;
}
