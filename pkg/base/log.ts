import { type Logger, pino } from 'pino';

export type { Logger };

/** Field names whose values never reach a log, at any depth up to three. */
const SECRET_FIELDS = [
  'authorization',
  'password',
  'secret',
  'token',
  'key',
  'apiKey',
  'databaseUrl',
  'connectionString',
  'cookie',
];

/**
 * A structured logger. Secrets are masked twice: by field name here, and by pattern in `mask` for free text.
 * @param name component, for example `operator`
 */
export function createLogger(name: string, level = process.env['LOG_LEVEL'] ?? 'info'): Logger {
  const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);
  return pino({
    name,
    level,
    redact: { paths, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    hooks: {
      logMethod(args, method) {
        method.apply(this, args.map((arg) => (typeof arg === 'string' ? mask(arg) : arg)) as Parameters<typeof method>);
      },
    },
    serializers: { err: serializeError, error: serializeError },
  });
}

/** Removes what looks like a key of ours, a bearer token, or a password inside a URL. */
export function mask(text: string): string {
  return (
    text
      .replace(/\b(csu?_)[0-9a-f]{8,}/g, '$1[redacted]')
      .replace(/(Bearer\s+)[\w.~+/=-]+/gi, '$1[redacted]')
      // From the beginning of a word, and not without end: what servers say may be long.
      .replace(/\b(\w+:\/\/[^\s:/@]*):[^\s"']{1,1000}@/g, '$1:[redacted]@')
  );
}

function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: mask(String(error)) };
  const code = (error as { code?: unknown }).code;
  return { type: error.name, message: mask(error.message), stack: mask(error.stack ?? ''), ...(code ? { code } : {}) };
}
