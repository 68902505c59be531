import type { Command } from 'commander';
import { control } from './home-client.ts';

/** `outrider demo`: runs the demo campaign once more on the running instance. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('run the demo campaign again on the running instance')
    .action(async () => {
      await control('POST', '/demo');
      console.log('The demo runs; watch it in the terminal of make run, its result is in connection.json under demo.');
    });
}
