import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';

/** `outrider up`: the same as `make run`. */
export function addUpCommand(program: Command): void {
  program
    .command('up')
    .description('start everything on this machine (the same as make run)')
    .action(async () => {
      const main = fileURLToPath(new URL('../standalone/main.ts', import.meta.url));
      const child = spawn(process.execPath, [main], { stdio: 'inherit' });
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
      process.exitCode = await new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
    });
}
