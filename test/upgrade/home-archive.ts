import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { SystemClock } from '../../pkg/base/clock.ts';
import { migrate } from '../../pkg/postgres/migrate.ts';
import { bootstrapRoles } from '../../pkg/postgres/roles.ts';
import { readFunctions, readMigrations } from '../../pkg/postgres/sql-files.ts';
import { EmbeddedPostgres } from '../../pkg/standalone/postgres/embedded-postgres.ts';
import { dumpSchema } from '../tools/schema-dump.ts';
import {
  connected,
  define,
  fillDatabase,
  readDatabase,
  readDefinitions,
  type StoredDatabase,
} from './stored-database.ts';

/** A stopped home of a released version: small enough to lie beside the tests, whole enough to go on. */
export interface StoredHome {
  version: string;
  commit: string;
  /** Product time when it stopped, epoch ms. */
  product: number;
  /** The same by the machine's clock. */
  real: number;
  /** Its identity, by which a restored backup is told: the restored database gets another one. */
  systemIdentifier: string;
  /** Files of the home by their path, base64. */
  files: Record<string, string>;
  /** The version's own migrations and functions, by their path below `pkg/store`. */
  schema: Record<string, string>;
  /** The schema as text, read of the database that the version itself made. */
  schemaText: string;
  database: StoredDatabase;
  /** Objects of the embedded Kubernetes API. */
  kube: StoredDatabase & { definitions: string[] };
}

/** Files of a home that a program makes anew at each start, or that name the machine. */
const FILES = ['version', 'secrets.json', 'bootstrap.json', 'kubernetes-certificate.json', 'restore-epoch.json'];
const ARCHIVES = new URL('./homes/', import.meta.url).pathname;

/** Versions of which a home is stored, oldest first. */
export async function storedVersions(): Promise<string[]> {
  const names = (await readdir(ARCHIVES)).filter((name) => name.endsWith('.json.zst'));
  return names.map((name) => name.replace('.json.zst', '')).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

export function readHome(version: string): StoredHome {
  return JSON.parse(
    zstdDecompressSync(readFileSync(join(ARCHIVES, `${version}.json.zst`))).toString('utf8'),
  ) as StoredHome;
}

/** @throws Error when the home names a folder of this machine */
export async function writeHome(home: StoredHome, folder: string): Promise<number> {
  const text = JSON.stringify(home);
  const machine = [new URL('../../../', import.meta.url).pathname, `${homedir()}/`];
  for (const path of [folder, ...machine.filter((one) => one !== '/')])
    if (text.includes(path))
      throw new Error(
        `the stored home names ${path}: …${text.slice(text.indexOf(path) - 200, text.indexOf(path) + 100)}…`,
      );
  const packed = zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: 19 } });
  await mkdir(ARCHIVES, { recursive: true });
  await writeFile(join(ARCHIVES, `${home.version}.json.zst`), packed);
  return packed.length;
}

/** What is read of a home whose program has ended and whose Postgres still runs. */
export interface HomeToPack {
  folder: string;
  /** Folder of the program that ran it. */
  program: string;
  commit: string;
  /** Connection string of the superuser. */
  databaseUrl: (database: string) => Promise<string>;
}

export async function packHome({ folder, program, commit, databaseUrl }: HomeToPack): Promise<StoredHome> {
  const [own, kube] = [await databaseUrl('outrider'), await databaseUrl('outrider_kube')];
  const { version } = JSON.parse(await readFile(join(program, 'package.json'), 'utf8')) as { version: string };
  const clock = JSON.parse(await readFile(join(folder, 'clock.json'), 'utf8')) as { product: number; real: number };
  const files: Record<string, string> = {};
  for (const name of FILES) files[name] = (await readFile(join(folder, name))).toString('base64');
  files['sandbox/sandbox.db'] = (await readSandbox(join(folder, 'sandbox'))).toString('base64');
  const epoch = JSON.parse(await readFile(join(folder, 'restore-epoch.json'), 'utf8')) as { systemIdentifier: string };
  return {
    version,
    commit,
    product: clock.product,
    real: clock.real,
    systemIdentifier: epoch.systemIdentifier,
    files,
    schema: await readSchemaFiles(join(program, 'pkg/store')),
    schemaText: await connected(own, dumpSchema),
    database: await readDatabase(own),
    kube: { ...(await readDatabase(kube)), definitions: await readDefinitions(kube) },
  };
}

/** The sandbox's file with what its log still held; faults that were in force are over. */
async function readSandbox(folder: string): Promise<Buffer> {
  const copy = await mkdtemp(join(tmpdir(), 'outrider-sandbox-'));
  try {
    await cp(folder, copy, { recursive: true });
    const db = new DatabaseSync(join(copy, 'sandbox.db'));
    db.exec(`delete from setting where name = 'faults'`);
    db.exec(`vacuum into '${join(copy, 'whole.db')}'`);
    db.close();
    return await readFile(join(copy, 'whole.db'));
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function readSchemaFiles(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.sql')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
}

/**
 * Lays a stored home out as if it had stopped just now: the database of its version with its rows, its files and its clock.
 * @param look at the database of before, with the connection string of the superuser
 */
export async function unpackHome(
  stored: StoredHome,
  folder: string,
  look: (url: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const server = await EmbeddedPostgres.start({ folder: join(folder, 'postgres'), settings: { fsync: 'off' } });
  try {
    const identifier = await systemIdentifier(server.superuserUrl());
    // The one who compares the identity finds the one that it knows.
    const home = JSON.parse(JSON.stringify(stored).replaceAll(stored.systemIdentifier, identifier)) as StoredHome;
    await layOut(home, folder);
    const secrets = JSON.parse(Buffer.from(home.files['secrets.json'] ?? '', 'base64').toString()) as Secrets;
    await makeDatabases(server, home, secrets);
    const age = new SystemClock().now() - home.real;
    await fillDatabase(server.superuserUrl('outrider'), home.database, age);
    await fillDatabase(server.superuserUrl('outrider_kube'), home.kube, age);
    await look(server.superuserUrl('outrider'));
  } finally {
    await server.stop();
  }
}

interface Secrets {
  roles: { owner: string; app: string; executor: string };
  kubePassword: string;
}

async function layOut({ files, product, systemIdentifier: identifier }: StoredHome, folder: string): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, dirname(name)), { recursive: true });
    await writeFile(join(folder, name), Buffer.from(content, 'base64'), { mode: 0o600 });
  }
  const epoch = JSON.parse(await readFile(join(folder, 'restore-epoch.json'), 'utf8')) as object;
  await writeFile(join(folder, 'restore-epoch.json'), JSON.stringify({ ...epoch, systemIdentifier: identifier }));
  const clock = { product, real: new SystemClock().now(), speed: 1, skipIdle: false, rehearsal: true };
  await writeFile(join(folder, 'clock.json'), JSON.stringify(clock), { mode: 0o600 });
}

/** Both databases, empty, with the schema of the stored version. */
async function makeDatabases(server: EmbeddedPostgres, home: StoredHome, secrets: Secrets): Promise<void> {
  await bootstrapRoles(server.superuserUrl(), 'outrider', secrets.roles);
  await define(server.superuserUrl(), [
    `create role outrider_kube login password '${secrets.kubePassword}'`,
    'create database outrider_kube owner outrider_kube',
  ]);
  const ownerUrl = `postgres://outrider_owner:${secrets.roles.owner}@127.0.0.1:${server.port}/outrider`;
  const folder = await mkdtemp(join(tmpdir(), 'outrider-schema-'));
  try {
    for (const [name, text] of Object.entries(home.schema)) {
      await mkdir(join(folder, dirname(name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const functions = await readFunctions(folder);
    await migrate(ownerUrl, await readMigrations(join(folder, 'migrations')), functions);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const kubeUrl = `postgres://outrider_kube:${secrets.kubePassword}@127.0.0.1:${server.port}/outrider_kube`;
  await define(kubeUrl, home.kube.definitions);
}

async function systemIdentifier(url: string): Promise<string> {
  return connected(url, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      'select system_identifier::text as id from pg_control_system()',
    );
    return rows[0]?.id ?? '';
  });
}
