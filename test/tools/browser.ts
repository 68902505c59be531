import { spawn } from 'node:child_process';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagedChromium } from './packaged-chromium.ts';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A browser with one page open. */
export interface Browser {
  close(): Promise<void>;
}

/** How a browser is started. */
export interface BrowserProgram {
  program: string;
  /** Where libraries lie that the machine may lack. */
  libraries?: string;
}

/** A browser: that of CHROMIUM, else one of the usual names on PATH, else the one that came through npm. */
export async function findBrowser(): Promise<BrowserProgram> {
  const { CHROMIUM: named, PATH: path = '' } = process.env;
  const places = path.split(':').flatMap((folder) => NAMES.map((name) => join(folder, name)));
  for (const place of named ? [named] : places) {
    const found = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return { program: place };
  }
  return packagedChromium();
}

/** Opens a page. Every host below `.example` is this machine, so that origins are those of real pages. */
export async function openPage({ program, libraries }: BrowserProgram, url: string): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'outrider-browser-'));
  const args = [
    ...['--headless', '--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
    ...[
      `--user-data-dir=${profile}`,
      '--host-resolver-rules=MAP *.example 127.0.0.1',
      '--remote-debugging-port=0',
      url,
    ],
  ];
  const child = spawn(program, args, { stdio: 'ignore', detached: true, env: environmentOf(libraries) });
  const exit = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    async close() {
      // Its helpers are of its group.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await exit;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The package brings the libraries that it was built against: a bare machine has none of them. */
export function environmentOf(libraries: string | undefined): NodeJS.ProcessEnv {
  if (libraries === undefined) return process.env;
  const { LD_LIBRARY_PATH: own } = process.env;
  return { ...process.env, LD_LIBRARY_PATH: [own, libraries].filter(Boolean).join(':') };
}
