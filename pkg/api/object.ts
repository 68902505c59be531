import { nulPath } from '../base/nul-text.ts';
import { refused } from './condition-words.ts';

/** A custom resource as plain data: what projections and plans read of it. Times are RFC 3339. */
export interface ApiObject {
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    generation?: number;
    resourceVersion?: string;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    annotations?: Record<string, string>;
  };
  spec?: unknown;
}

/**
 * The opaque id of an object: its name in the home namespace, `<namespace>.<name>` elsewhere. Names are DNS labels
 * (no dots), so the two forms never clash.
 */
export function objectId(namespace: string, name: string, homeNamespace: string): string {
  return namespace === homeNamespace ? name : `${namespace}.${name}`;
}

/** The inverse of `objectId`. */
export function objectRef(id: string, homeNamespace: string): { namespace: string; name: string } {
  const dot = id.indexOf('.');
  return dot < 0 ? { namespace: homeNamespace, name: id } : { namespace: id.slice(0, dot), name: id.slice(dot + 1) };
}

/** Id of an object as it came from the API server. */
export function idOf(object: ApiObject, homeNamespace: string): string {
  return objectId(object.metadata.namespace ?? homeNamespace, object.metadata.name, homeNamespace);
}

/**
 * Parsed by a kind's schema; the API server did so before, an older definition may have let more through, and it keeps NUL
 * characters, which no row can hold.
 * @throws UserError InvalidSpec naming the field
 */
export function parseSpec<T>(schema: { safeParse(value: unknown): ParseResult<T> }, object: ApiObject): T {
  const parsed = schema.safeParse(object.spec ?? {});
  const nul = nulPath(object.spec, 'spec');
  if (nul !== undefined) throw refused('InvalidSpec', `${nul}: holds a NUL character`);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue?.path.map(String).join('.') ?? '';
  throw refused('InvalidSpec', `spec.${path}: ${issue?.message ?? 'is not valid'}`);
}

type ParseResult<T> =
  | { success: true; data: T }
  | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };

/** The name in an id: what a reference from an object of the same namespace holds. */
export function refName(id: string): string {
  return id.slice(id.indexOf('.') + 1);
}
