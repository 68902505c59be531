/**
 * Errors of a connection that could not be made or was cut, by the server too: when a transaction of a process that stood still was left
 * open for too long (25P03). Source: libuv; PostgreSQL, Appendix A (classes 08, 25, 57P, 53).
 */
const CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  '25P03',
  '57P01',
  '57P02',
  '57P03',
  '53300',
]);
/** What pg says of it without a code. */
const MESSAGES = /^Connection terminated|timeout exceeded when trying to connect|^Query read timeout|not queryable/;

/** The server is known to hang, so nothing was sent to it. */
export class DatabaseSilent extends Error {
  override readonly name = 'DatabaseSilent';

  constructor() {
    super('the database does not answer');
  }
}

/** Whether an error means that Postgres is away, and the same may succeed in a moment. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseSilent) return true;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && (CODES.has(code) || code.startsWith('08'))) return true;
  return MESSAGES.test(error.message);
}
