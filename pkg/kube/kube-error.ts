import { z } from 'zod';

/** One entry of `Status.details.causes`. */
export interface KubeCause {
  reason: string;
  message: string;
  field: string;
}

const statusSchema = z.object({
  message: z.string().optional(),
  reason: z.string().optional(),
  code: z.number().optional(),
  details: z
    .object({
      retryAfterSeconds: z.number().optional(),
      causes: z
        .array(
          z.object({ reason: z.string().optional(), message: z.string().optional(), field: z.string().optional() }),
        )
        .optional(),
    })
    .optional(),
});

const MESSAGE_LIMIT = 1_024;

/**
 * An answer of the API server that is not a success. Carries what a caller may act on and nothing else: the
 * library's own exception quotes body and headers, which is how Secrets reach logs.
 */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /** HTTP status, or the `code` of an in-band Status. 0 when there was no answer. */
  readonly status: number;
  /** metav1.StatusReason, for example `Conflict`, `AlreadyExists`, `Expired`. */
  readonly reason: string;
  readonly retryAfterSeconds: number | undefined;
  readonly causes: readonly KubeCause[];

  constructor(status: number, reason: string, message: string, causes: KubeCause[] = [], retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.causes = causes;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Builds the error from a Status object (or whatever a proxy answered instead of one).
 * @param sensitive the resource carries secrets: the server's text may quote values, so only reason and fields stay
 */
export function kubeErrorFrom(httpStatus: number, body: unknown, sensitive = false, retryAfter?: string): KubeError {
  const parsed = statusSchema.safeParse(body);
  const status = parsed.success ? parsed.data : {};
  const code = status.code ?? httpStatus;
  const reason = status.reason ?? defaultReason(code);
  const causes = (status.details?.causes ?? []).slice(0, 32).map((cause) => ({
    reason: cause.reason ?? '',
    message: sensitive ? '' : (cause.message ?? '').slice(0, MESSAGE_LIMIT),
    field: cause.field ?? '',
  }));
  const text = sensitive || !status.message ? `the API server answered ${code} ${reason}` : status.message;
  const seconds = parseRetryAfter(retryAfter) ?? status.details?.retryAfterSeconds;
  return new KubeError(code, reason, text.slice(0, MESSAGE_LIMIT), causes, seconds);
}

function parseRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined || !/^\d{1,6}$/.test(value.trim())) return undefined;
  return Number(value);
}

const REASONS: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Expired',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function defaultReason(code: number): string {
  return REASONS[code] ?? 'Unknown';
}

export function isNotFound(error: unknown): boolean {
  return error instanceof KubeError && error.status === 404;
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof KubeError && error.status === 409 && error.reason === 'AlreadyExists';
}

/** Someone else wrote first (stale resourceVersion) or owns the field (server-side apply). */
export function isConflict(error: unknown): boolean {
  return error instanceof KubeError && error.status === 409 && error.reason !== 'AlreadyExists';
}

/** The resourceVersion is too old for a watch, or the continue token for a list; both forms of 410. */
export function isExpired(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone');
}

/** A namespace's quota is used up: a 403 that means wait, not fail. */
export function isQuotaExceeded(error: unknown): boolean {
  return error instanceof KubeError && error.status === 403 && /exceeded quota/i.test(error.message);
}

/** The object is larger than the server, or etcd behind it (1.5 MiB), takes: answered as a fault, but no retry helps. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  return error.status === 413 || (error.status >= 500 && /request is too large|larger than max/i.test(error.message));
}

/** Who owns the fields that a server-side apply without force ran into. */
export function fieldConflicts(error: unknown): { manager: string; field: string }[] {
  if (!isConflict(error)) return [];
  return (error as KubeError).causes
    .filter((cause) => cause.reason === 'FieldManagerConflict')
    .map((cause) => ({ manager: /conflict with "([^"]+)"/.exec(cause.message)?.[1] ?? 'unknown', field: cause.field }));
}
