/** Settings of the server, equal for all rows of the table; fsync and synchronous_commit stay on as in production. */
export const POSTGRES: Record<string, string> = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '5min',
  autovacuum_naptime: '5s',
  max_connections: '100',
  jit: 'off',
};

export const DAY_MS = 86_400_000;
/** Product time of the first run's due time. */
export const START = Date.UTC(2026, 0, 5);
export const ACCOUNTS = 1_000;
/** Runs that are due at any moment of a round; all others wait. */
export const BACKLOG = 5_000;

/** A graph whose every step waits: what the rounds differ in. */
export type Shape = 'plain' | 'mixed' | 'effects';

/** Nodes of one turn of a shape; a chain repeats it. */
export const TURN: Record<Shape, readonly ('wait' | 'view')[]> = {
  plain: ['wait'],
  mixed: ['wait', 'wait', 'wait', 'view'],
  effects: ['wait', 'view'],
};

/** Runs that come due per step by the passing of time; what follows an effect comes due by its answer. */
export function duePerStep(shape: Shape): number {
  return TURN[shape].filter((node) => node === 'wait').length / TURN[shape].length;
}

/**
 * SQL for where in a turn run `g` stands at the beginning: at each of its waits alike, with every account, as runs do that have
 * gone round for long, so that every moment has its share of effects. Nobody rests at a view.
 */
export function placeInTurn(shape: Shape): string {
  const waits = TURN[shape].filter((node) => node === 'wait').length;
  return `((g + g / ${ACCOUNTS}) % ${waits})`;
}

/**
 * Product ms between two runs that come due; each wait lasts runs x spacing. 1,000,000 runs wait 30 days, and an account acts 17
 * times a day, as people's accounts do, however many runs there are.
 */
export const SPACING_MS = Math.floor((30 * DAY_MS) / 1_000_000);

/** Of five people one is met for the first time; the account knows the others, and their runs hold them, as after a first step. */
export const MET = '(g / 7) % 5 <> 0';
