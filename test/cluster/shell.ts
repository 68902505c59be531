import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { patience } from '../tools/patience.ts';

export interface ShellOptions {
  env?: Record<string, string>;
  input?: string;
  /** Folder to run in. */
  cwd?: string;
  /** Default: two minutes; longer where the machine is slow. */
  timeoutMs?: number;
}

/** Runs a program to its end. @returns its output @throws with what it said on standard error */
export function shell(program: string, args: readonly string[], options: ShellOptions = {}): Promise<string> {
  const { env, input, cwd, timeoutMs = 120_000 } = options;
  return new Promise((resolve, reject) => {
    const settings = {
      env: { ...process.env, ...env },
      timeout: timeoutMs * patience(),
      maxBuffer: 64 * 1_024 * 1_024,
      cwd,
    };
    const child = execFile(program, args, settings, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      reject(new Error(`${program} ${args.slice(0, 6).join(' ')}: ${stderr.trim() || error.message}`));
    });
    // A program that ends without reading is judged by its exit code.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
  });
}

/** Starts a program and waits until its output matches. @returns the match and how to end it */
export function background(
  program: string,
  args: readonly string[],
  ready: RegExp,
  env: Record<string, string>,
): Promise<{ match: RegExpExecArray; stop: () => void }> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    const hear = (chunk: Buffer): void => {
      text += chunk.toString('utf8');
      const match = ready.exec(text);
      if (match) resolve({ match, stop: () => void child.kill('SIGKILL') });
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}: ${text}`)));
  });
}
