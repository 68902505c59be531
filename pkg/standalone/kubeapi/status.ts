/** One cause of a refusal, as kubectl prints it. */
export interface Cause {
  reason: string;
  message: string;
  field: string;
}

/** A refusal in the API's own form (metav1.Status). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: number, reason: string, message: string, details?: Record<string, unknown>) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  /** The Status object of the answer. */
  body(): object {
    return statusBody(this.code, this.reason, this.message, this.details);
  }
}

export function statusBody(code: number, reason: string, message: string, details?: Record<string, unknown>): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(details ? { details } : {}),
    code,
  };
}

const resource = (kind: { plural: string; group: string }): string =>
  kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;

export function notFound(kind: { plural: string; group: string }, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${resource(kind)} "${name}" not found`, {
    name,
    group: kind.group,
    kind: kind.plural,
  });
}

export function alreadyExists(kind: { plural: string; group: string }, name: string): ApiError {
  return new ApiError(409, 'AlreadyExists', `${resource(kind)} "${name}" already exists`, {
    name,
    group: kind.group,
    kind: kind.plural,
  });
}

export function conflict(kind: { plural: string; group: string }, name: string, why: string): ApiError {
  const text = `Operation cannot be fulfilled on ${resource(kind)} "${name}": ${why}`;
  return new ApiError(409, 'Conflict', text, { name, group: kind.group, kind: kind.plural });
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
}

export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message);
}

/** 422 with one line per field. */
export function invalid(kind: { kind: string; group: string }, name: string, causes: Cause[]): ApiError {
  const lines = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const text = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const shown = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  return new ApiError(422, 'Invalid', `${shown} "${name}" is invalid: ${text}`, {
    name,
    group: kind.group,
    kind: kind.kind,
    causes,
  });
}
