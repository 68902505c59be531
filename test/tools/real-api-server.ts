import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { access, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { SystemClock } from '../../pkg/base/clock.ts';
import { freePort } from '../../pkg/standalone/free-port.ts';
import { writeKubeconfig } from '../../pkg/standalone/kube-setup.ts';
import { makeServerCertificate, type ServerCertificate } from '../../pkg/standalone/kubeapi/server-certificate.ts';
import { eventually } from './kube.ts';

/** A real control plane without nodes: etcd, kube-apiserver, and of the controllers those that delete. */
export interface RealApiServer {
  url: string;
  certificate: ServerCertificate;
  /** Ends the API server and starts another on the same data; what it knew of earlier versions is gone (compacted). */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const PATIENCE_MS = 90_000;

/** Where `make test-cluster` keeps its binaries. @returns undefined where they were not built yet */
export async function realBinaries(): Promise<string | undefined> {
  const cache =
    process.env['CLUSTER_CACHE'] ??
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'outrider-cluster');
  const folder = join(cache, 'bin');
  return access(join(folder, 'kube-apiserver')).then(
    () => folder,
    () => undefined,
  );
}

/** What differs for a bench. */
export interface ApiServerSettings {
  /** Whether somebody deletes what an owner or a namespace leaves behind. Default: yes. */
  controllers?: boolean;
  /** Settings of the processes. */
  env?: Record<string, string>;
}

/** @param token of a user who may do everything. @throws naming what to build where the binaries are missing */
async function startRealApiServer(token: string, settings: ApiServerSettings): Promise<RealApiServer> {
  const binaries = await realBinaries();
  if (!binaries)
    throw new Error('There is no real API server here: make test-cluster builds one (test/cluster/build.sh).');
  const folder = await mkdtemp(join(tmpdir(), 'outrider-apiserver-'));
  const certificate = await makeServerCertificate(new SystemClock().now());
  const [clients, peers, port] = [await freePort(), await freePort(), await freePort()];
  const url = `https://127.0.0.1:${port}`;
  await writeFiles(folder, certificate, url, token);
  const run = (name: string, args: string[]): Promise<ChildProcess> =>
    start(join(binaries, name), args, join(folder, `${name}.log`), settings.env);
  const agent = new Agent({ connect: { ca: certificate.cert } });
  const ready = (): Promise<true> =>
    eventually(
      `kube-apiserver is ready (logs in ${folder})`,
      () =>
        request(`${url}/readyz`, { dispatcher: agent, headers: { authorization: `Bearer ${token}` } }).then(
          async ({ statusCode, body }) => {
            await body.dump();
            return statusCode === 200;
          },
          () => false,
        ),
      PATIENCE_MS,
    );
  const etcd = await run('etcd', etcdArgs(folder, clients, peers));
  let server = await run('kube-apiserver', serverArgs(folder, clients, port));
  await ready();
  const controllers =
    settings.controllers === false ? undefined : await run('kube-controller-manager', controllerArgs(folder));
  return {
    url,
    certificate,
    async restart() {
      await ended(server);
      await compact(clients);
      server = await run('kube-apiserver', serverArgs(folder, clients, port));
      await ready();
    },
    async stop() {
      for (const one of [controllers, server, etcd]) if (one) await ended(one);
      await agent.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let shared: Promise<RealApiServer> | undefined;

/** The one of this process, started at the first call. */
export function sharedApiServer(token: string, settings: ApiServerSettings = {}): Promise<RealApiServer> {
  shared ??= startRealApiServer(token, settings);
  return shared;
}

/** Ends it, if there is one. */
export async function stopSharedApiServer(): Promise<void> {
  const server = await shared?.catch(() => undefined);
  await server?.stop();
}

async function writeFiles(
  folder: string,
  { cert, key }: ServerCertificate,
  server: string,
  token: string,
): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  await writeFile(join(folder, 'tls.crt'), cert);
  await writeFile(join(folder, 'tls.key'), key, { mode: 0o600 });
  await writeFile(join(folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  await writeFile(join(folder, 'sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  await writeFile(join(folder, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  await writeKubeconfig(join(folder, 'kubeconfig'), {
    server,
    authority: cert,
    user: 'admin',
    token,
    namespace: 'default',
  });
}

function etcdArgs(folder: string, clients: number, peers: number): string[] {
  const [client, peer] = [`http://127.0.0.1:${clients}`, `http://127.0.0.1:${peers}`];
  return [
    `--data-dir=${folder}/etcd`,
    '--unsafe-no-fsync',
    '--log-level=error',
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ];
}

function serverArgs(folder: string, etcd: number, port: number): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${port}`,
    `--tls-cert-file=${folder}/tls.crt`,
    `--tls-private-key-file=${folder}/tls.key`,
    `--token-auth-file=${folder}/tokens.csv`,
    `--service-account-key-file=${folder}/sa.pub`,
    `--service-account-signing-key-file=${folder}/sa.key`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    // Pods need no ServiceAccount: nobody makes one without a controller for them.
    '--disable-admission-plugins=ServiceAccount',
  ];
}

function controllerArgs(folder: string): string[] {
  return [
    `--kubeconfig=${folder}/kubeconfig`,
    '--leader-elect=false',
    '--secure-port=0',
    '--controllers=garbage-collector-controller,namespace-controller',
  ];
}

async function start(
  program: string,
  args: string[],
  log: string,
  env: Record<string, string> = {},
): Promise<ChildProcess> {
  const file = await open(log, 'a');
  const child = spawn(program, args, { stdio: ['ignore', file.fd, file.fd], env: { ...process.env, ...env } });
  await file.close();
  child.once('error', () => undefined);
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exit;
}

/** Drops every earlier version from etcd, by its JSON gateway. */
async function compact(port: number): Promise<void> {
  const call = async (path: string, body: object): Promise<{ header?: { revision?: string } }> => {
    const answer = await request(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: JSON.stringify(body) });
    return (await answer.body.json()) as { header?: { revision?: string } };
  };
  const key = Buffer.from('outrider-test').toString('base64');
  const { header } = await call('/v3/kv/put', { key, value: key });
  await call('/v3/kv/compaction', { revision: header?.revision, physical: true });
}
