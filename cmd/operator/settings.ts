import { z } from 'zod';

const jsonRecord = z.string().transform((text, context) => {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text));
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a JSON object of strings' });
    return z.NEVER;
  }
});

/** The operator's environment. KUBECONFIG is never read: it may be a person's production cluster. */
export const settingsSchema = z.object({
  DATABASE_URL: z.string().min(1),
  /** Absent: the service account of the pod. */
  KUBECONFIG_PATH: z.string().min(1).optional(),
  OUTRIDER_NAMESPACE: z.string().min(1).max(63).default('outrider'),
  /** Comma-separated namespaces to watch besides the home namespace; absent: all. */
  WATCH_NAMESPACES: z.string().optional(),
  /** host:port of the clock authority (standalone); absent: the system clock. */
  OUTRIDER_CLOCK: z.string().optional(),
  /** File that keeps the restore epoch outside the database, besides the Lease (standalone). */
  RESTORE_EPOCH_FILE: z.string().min(1).optional(),
  METRICS_PORT: z.coerce.number().int().min(0).max(65_535).default(9090),
  METRICS_HOST: z.string().default('127.0.0.1'),
  POD_NAME: z.string().min(1).default('operator'),
  EXECUTOR_IMAGE: z.string().min(1),
  EXECUTOR_SERVICE_ACCOUNT: z.string().min(1).default('outrider-executor'),
  EXECUTOR_DATABASE_SECRET: z.string().min(1).default('outrider-executor'),
  /** Plain settings of executors, for example addresses of providers. */
  EXECUTOR_ENV_JSON: jsonRecord.default({}),
  /** 1: ends when its standard input closes (a child of standalone). */
  OUTRIDER_PARENT_PIPE: z.enum(['0', '1']).default('0'),
});

export type Settings = z.output<typeof settingsSchema>;
