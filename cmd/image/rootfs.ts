import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { bundleEntries } from './bundle.ts';

const run = promisify(execFile);

/** The user everything runs as; no other exists but root. */
const USERS = 'root:x:0:0:root:/:/sbin/nologin\noutrider:x:65532:65532:outrider:/app:/sbin/nologin\n';
const GROUPS = 'root:x:0:\noutrider:x:65532:\n';
/** Names of Services come from DNS. */
const NAME_SERVICE = 'hosts: files dns\n';

/**
 * Lays out the image's files in `folder`: the node program with the C library it needs, the bundles, the schema and
 * resource definitions. No shell and no package manager.
 */
export async function layOut(root: string, folder: string): Promise<void> {
  await copyNode(folder);
  const app = join(folder, 'app');
  await bundleEntries(root, app);
  // The program reads its schema beside itself.
  await cp(join(root, 'pkg/store'), join(app, 'cmd/outrider'), { recursive: true, filter: isSchema });
  await cp(join(root, 'crds'), join(app, 'crds'), { recursive: true });
  // So does the MCP server with the pages of the console.
  await cp(join(root, 'pkg/console/dist'), join(app, 'pkg/console/dist'), { recursive: true }).catch(unlessMissing);
  const { name, version, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  await writeFile(join(app, 'package.json'), `${JSON.stringify({ name, version, license, type: 'module' })}\n`);
  await cp(join(root, 'LICENSE'), join(app, 'LICENSE'));
  await mkdir(join(folder, 'etc'), { recursive: true });
  await writeFile(join(folder, 'etc/passwd'), USERS);
  await writeFile(join(folder, 'etc/group'), GROUPS);
  await writeFile(join(folder, 'etc/nsswitch.conf'), NAME_SERVICE);
  await mkdir(join(folder, 'tmp'));
  await chmod(join(folder, 'tmp'), 0o1777);
}

/** An image without them says so where they would be. */
function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Folders (empty ones of no harm) and SQL. */
function isSchema(path: string): boolean {
  const name = basename(path);
  return !name.includes('.') || name.endsWith('.sql');
}

interface Manifest {
  name: string;
  version: string;
  license: string;
}

/** This very node program with its libraries. */
export async function copyNode(folder: string): Promise<void> {
  const target = join(folder, 'usr/local/bin/node');
  await mkdir(dirname(target), { recursive: true });
  await cp(process.execPath, target, { dereference: true });
  await copyLibraries(process.execPath, folder);
}

/**
 * Copies the shared libraries of a program to where its loader looks for them in an image.
 * @param more folders to look in besides the machine's own, with `:` between them
 */
export async function copyLibraries(program: string, folder: string, more = ''): Promise<void> {
  const env = { ...process.env, ...(more ? { LD_LIBRARY_PATH: more } : {}) };
  const { stdout } = await run('ldd', [program], { timeout: 10_000, env });
  for (const path of librariesIn(stdout)) {
    const place = path.includes('ld-linux') ? path : join('/lib', architectureOf(path), basename(path));
    await mkdir(dirname(join(folder, place)), { recursive: true });
    await cp(path, join(folder, place), { dereference: true });
  }
}

/** Paths in the output of ldd: `libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x…)` or the loader's own line. */
function librariesIn(text: string): string[] {
  const paths = text.split('\n').map((line) => /(?:=>\s*|^\s*)(\/\S+)\s+\(0x/.exec(line)?.[1]);
  return [...new Set(paths.filter((path) => path !== undefined))];
}

function architectureOf(path: string): string {
  return /[^/]+-linux-gnu/.exec(path)?.[0] ?? '';
}
