import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { monotonicMs, sleepReal } from '../../pkg/base/clock.ts';

const run = promisify(execFile);
const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'outrider/python');

/** Real calendar servers of the tests, each in an environment of its own: what is installed, in this version. */
const SERVERS = {
  radicale: 'radicale==3.9.0',
  xandikos: 'xandikos==0.4.10',
} as const;
/** Real ms in which a server must answer, and of an installation. */
const START_MS = 30_000;
const INSTALL_MS = 240_000;

/** A running calendar server. */
export interface CalendarServer {
  /** Of a calendar that is there. */
  url: string;
  username: string;
  password: string;
  /** Of its user, where the server invites by itself. */
  email: string;
  /** Folder of its data. */
  folder: string;
  stop(): Promise<void>;
}

/**
 * Starts a calendar server with one user and one calendar.
 * @param smtpPort where a server that invites by itself sends its mails
 * @returns undefined where it is not cached and no package index answers: the test skips and says so
 * @throws Error under `CI=true`, where a missing part is a failure
 */
export async function startCalendarServer(
  name: keyof typeof SERVERS,
  smtpPort = 1,
): Promise<CalendarServer | undefined> {
  const bin = await environmentOf(name);
  if (bin === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), `outrider-${name}-`));
  const port = await freePort();
  return name === 'radicale' ? startRadicale(bin, folder, port) : startXandikos(bin, folder, port, smtpPort);
}

/** Made aside and renamed, so that two test runs never see half an environment. */
async function environmentOf(name: keyof typeof SERVERS): Promise<string | undefined> {
  const wanted = SERVERS[name];
  const folder = join(CACHE, wanted.replace('==', '-'));
  const marker = join(folder, 'installed');
  if (!(await exists(marker))) {
    const failed = await install(folder, wanted).then(
      () => undefined,
      (error: Error) => error,
    );
    if (failed && process.env['CI'] === 'true') throw new Error(`CI needs ${wanted}: ${failed.message}`);
    if (failed) return undefined;
  }
  return join(folder, 'bin');
}

async function install(folder: string, wanted: string): Promise<void> {
  // An environment knows its own path, so that it is made where it stays; only the marker says that it is whole.
  await rm(folder, { recursive: true, force: true });
  await mkdir(CACHE, { recursive: true });
  await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_MS });
  const pip = join(folder, 'bin/pip');
  await run(pip, ['install', '--quiet', '--disable-pip-version-check', wanted], { timeout: INSTALL_MS });
  await writeFile(`${folder}/installing`, wanted);
  await rename(`${folder}/installing`, `${folder}/installed`);
}

async function startRadicale(bin: string, folder: string, port: number): Promise<CalendarServer> {
  await writeFile(join(folder, 'users'), 'ada:a-password-of-the-test\n');
  const settings = [
    `[server]\nhosts = 127.0.0.1:${port}`,
    `[auth]\ntype = htpasswd\nhtpasswd_filename = ${folder}/users\nhtpasswd_encryption = plain\ndelay = 0`,
    `[storage]\nfilesystem_folder = ${folder}/data`,
    '[logging]\nlevel = error',
  ];
  await writeFile(join(folder, 'config'), `${settings.join('\n\n')}\n`);
  const child = spawn(join(bin, 'python'), ['-m', 'radicale', '--config', join(folder, 'config')], { stdio: 'ignore' });
  const base = `http://127.0.0.1:${port}`;
  const server = { username: 'ada', password: 'a-password-of-the-test', email: '', folder };
  await answers(child, `${base}/`);
  const url = `${base}/ada/work/`;
  const body = `<?xml version="1.0"?><c:mkcalendar xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:set><d:prop><d:displayname>Work</d:displayname><c:supported-calendar-component-set><c:comp name="VEVENT"/></c:supported-calendar-component-set></d:prop></d:set></c:mkcalendar>`;
  const authorization = `Basic ${Buffer.from(`ada:${server.password}`).toString('base64')}`;
  const made = await fetch(url, { method: 'MKCALENDAR', headers: { authorization }, body });
  if (made.status !== 201) throw new Error(`Radicale answered ${made.status}`);
  return { ...server, url, stop: () => end(child, folder) };
}

async function startXandikos(bin: string, folder: string, port: number, smtpPort: number): Promise<CalendarServer> {
  const args = ['serve', '--defaults', '-d', join(folder, 'data'), '--state-dir', join(folder, 'state')];
  const where = ['--current-user-principal', '/user/', '-l', '127.0.0.1', '-p', String(port), '--no-detect-systemd'];
  const mails = [
    '--imip-send',
    'smtp',
    '--smtp-from',
    'calendar@calendar.example',
    '--smtp-host',
    '127.0.0.1',
    '--smtp-port',
    String(smtpPort),
  ];
  const child = spawn(join(bin, 'xandikos'), [...args, ...where, ...mails], {
    stdio: 'ignore',
    env: { ...process.env, EMAIL: 'ada@calendar.example' },
  });
  const base = `http://127.0.0.1:${port}`;
  await answers(child, `${base}/`);
  const url = `${base}/user/calendars/calendar/`;
  return {
    url,
    username: 'ada',
    password: 'none',
    email: 'ada@calendar.example',
    folder,
    stop: () => end(child, folder),
  };
}

async function answers(child: ChildProcess, url: string): Promise<void> {
  const until = monotonicMs() + START_MS;
  while (monotonicMs() < until && child.exitCode === null) {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await sleepReal(100);
  }
  child.kill('SIGKILL');
  throw new Error(`${url} does not answer`);
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode === null) {
    child.kill('SIGKILL');
    await gone;
  }
  await rm(folder, { recursive: true, force: true });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
