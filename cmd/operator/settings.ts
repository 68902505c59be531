import { z } from 'zod';
import { EXECUTOR_MODES } from '../../pkg/domain/executor-mode.ts';

/** A setting that holds JSON of a shape; `what` says so in the error. */
function json<T extends z.ZodType>(schema: T, what: string) {
  return z.string().transform((text, context): z.output<T> => {
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      context.addIssue({ code: 'custom', message: `must be ${what}` });
      return z.NEVER;
    }
  });
}

const jsonRecord = json(z.record(z.string(), z.string()), 'a JSON object of strings');
const jsonList = json(z.array(z.string()).min(1), 'a JSON list of strings');
const secretRecord = json(
  z.record(
    z.string(),
    z.strictObject({ name: z.string().min(1), key: z.string().min(1), optional: z.boolean().optional() }),
  ),
  'a JSON object of {name, key} with or without optional',
);

const strings = z.record(z.string(), z.string());
const objects = z.array(z.looseObject({}));
const podExtras = json(
  z.strictObject({
    labels: strings.optional(),
    annotations: strings.optional(),
    nodeSelector: strings.optional(),
    priorityClassName: z.string().min(1).optional(),
    tolerations: objects.optional(),
    affinity: z.looseObject({}).optional(),
    topologySpreadConstraints: objects.optional(),
    hostUsers: z.boolean().optional(),
    volumes: objects.optional(),
    volumeMounts: objects.optional(),
  }),
  'a JSON object of what executors get besides: labels, annotations, nodeSelector, priorityClassName, tolerations, affinity, topologySpreadConstraints, hostUsers, volumes, volumeMounts',
);

const amounts = z.strictObject({
  cpu: z.union([z.string(), z.number()]).optional(),
  memory: z.union([z.string(), z.number()]).optional(),
});
const resources = json(
  z.strictObject({ requests: amounts.optional(), limits: amounts.optional() }),
  'a JSON object of requests and limits',
);

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
  /** Requests per second to the Kubernetes API on average; twice as many at once. */
  KUBE_QPS: z.coerce.number().int().min(1).max(10_000).default(200),
  METRICS_PORT: z.coerce.number().int().min(0).max(65_535).default(9090),
  METRICS_HOST: z.string().default('127.0.0.1'),
  POD_NAME: z.string().min(1).default('operator'),
  EXECUTOR_IMAGE: z.string().min(1),
  EXECUTOR_SERVICE_ACCOUNT: z.string().min(1).default('outrider-executor'),
  EXECUTOR_DATABASE_SECRET: z.string().min(1).default('outrider-executor'),
  /** What executors log in with, so that it is restored when one of them changes it; a file is read anew each time. */
  EXECUTOR_DATABASE_URL: z.string().min(1).optional(),
  EXECUTOR_DATABASE_URL_FILE: z.string().min(1).optional(),
  EXECUTOR_DATABASE_SECRET_KEY: z.string().min(1).default('DATABASE_URL'),
  /** Settings of executors that are secrets: `{NAME: {name, key, optional}}` of a Secret in the home namespace. */
  EXECUTOR_SECRET_ENV_JSON: secretRecord.default({}),
  /** Program and arguments of an executor's container, as a JSON list. */
  EXECUTOR_COMMAND_JSON: jsonList.default(['node', 'cmd/executor/main.ts']),
  EXECUTOR_IMAGE_PULL_POLICY: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
  /** Comma-separated names of Secrets. */
  EXECUTOR_IMAGE_PULL_SECRETS: z.string().default(''),
  /** What every executor's pod gets besides, as JSON; see ExecutorPodExtras. */
  EXECUTOR_POD_JSON: podExtras.default({}),
  /** Executors of workspaces at a time; 0: no bound. */
  EXECUTOR_MAX_PODS: z.coerce.number().int().min(0).max(100_000).default(0),
  /** How a workspace is served that says nothing of it. */
  EXECUTOR_MODE: z.enum(EXECUTOR_MODES).default('Dedicated'),
  /** Pods of the pool that serves many workspaces; 0: there is none. */
  EXECUTOR_POOL_REPLICAS: z.coerce.number().int().min(0).max(1_000).default(0),
  /** Database connections of each of them. */
  EXECUTOR_POOL_CONNECTIONS: z.coerce.number().int().min(4).max(200).default(16),
  /** CPU and memory of each of them, as JSON. */
  EXECUTOR_POOL_RESOURCES_JSON: resources.default({}),
  /** Program and arguments of their container, as a JSON list; absent: those of all executors. */
  EXECUTOR_POOL_COMMAND_JSON: jsonList.optional(),
  /** Share of the executors that an upgrade replaces at a time, percent; at least one is. */
  EXECUTOR_MAX_UNAVAILABLE_PERCENT: z.coerce.number().int().min(1).max(100).default(10),
  /** Where executors reach this operator's claim endpoint; absent: claims go over the node agent's pipe. */
  CLAIM_URL: z.url().optional(),
  CLAIMS_PORT: z.coerce.number().int().min(0).max(65_535).default(9091),
  /** Plain settings of executors, for example addresses of providers. */
  EXECUTOR_ENV_JSON: jsonRecord.default({}),
  /** 1: ends when its standard input closes (a child of standalone). */
  OUTRIDER_PARENT_PIPE: z.enum(['0', '1']).default('0'),
});

export type Settings = z.output<typeof settingsSchema>;
