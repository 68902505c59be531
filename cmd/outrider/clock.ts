import type { Command } from 'commander';
import { z } from 'zod';
import { UserError } from '../../pkg/base/errors.ts';
import { parseDuration } from '../../pkg/standalone/duration.ts';
import { control } from './home-client.ts';

const clockState = z.object({ product: z.number(), speed: z.number(), skipIdle: z.boolean(), rehearsal: z.boolean() });

/** `outrider clock`: shows and moves the product's time, in standalone only. */
export function addClockCommand(program: Command): void {
  program
    .command('clock')
    .description("print the product's time and speed; make it run faster or jump (standalone only)")
    .option('--speed <factor>', 'product seconds per real second, for example 20000; 1 is real time')
    .option('--advance <duration>', 'jump forward, for example 14d, 6h or 90m')
    .option('--skip-idle [on|off]', 'jump ahead while neither the engine nor the sandbox has anything due')
    .action(async (options: { speed?: string; advance?: string; skipIdle?: string | boolean }) => {
      const change = {
        ...(options.speed === undefined ? {} : { speed: parseSpeed(options.speed) }),
        ...(options.advance === undefined ? {} : { advanceMs: parseDuration(options.advance) }),
        ...(options.skipIdle === undefined ? {} : { skipIdle: options.skipIdle !== 'off' }),
      };
      const answer =
        Object.keys(change).length === 0 ? await control('GET', '/clock') : await control('POST', '/clock', change);
      const state = clockState.parse(answer);
      const notes = [
        state.skipIdle ? 'skipping idle time' : '',
        state.rehearsal ? 'rehearsal: real provider accounts are refused' : '',
      ];
      console.log([new Date(state.product).toISOString(), `speed ${state.speed}`, ...notes.filter(Boolean)].join('  '));
    });
}

function parseSpeed(text: string): number {
  const speed = Number(text);
  if (!Number.isFinite(speed) || speed < 0) throw new UserError(`--speed ${text} is no number of 0 or more.`);
  return speed;
}
