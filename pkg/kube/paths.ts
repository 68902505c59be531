import { apiVersionOf, type ObjectRef, type Resource } from './types.ts';

/** A DNS subdomain; what else may be put into a path is checked by the server, but never a slash or a dot pair. */
const SEGMENT = /^[a-z0-9:]([a-zA-Z0-9.:_-]{0,251}[a-zA-Z0-9])?$/;

/**
 * URL path of a collection, an object or a subresource.
 * @param ref without `name` the collection; without `namespace` a namespaced collection across all namespaces
 * @throws Error when a name could escape its path segment
 */
export function resourcePath(resource: Resource, ref: Partial<ObjectRef> = {}, subresource?: string): string {
  const prefix = resource.group === '' ? '/api' : '/apis';
  const parts = [prefix, apiVersionOf(resource)];
  if (resource.namespaced && ref.namespace !== undefined) parts.push('namespaces', segment(ref.namespace));
  parts.push(resource.plural);
  if (ref.name !== undefined) {
    if (resource.namespaced && ref.namespace === undefined) throw new Error(`${resource.kind} needs a namespace`);
    parts.push(segment(ref.name));
  }
  if (subresource) parts.push(subresource);
  return parts.join('/');
}

function segment(name: string): string {
  if (!SEGMENT.test(name) || name.includes('..'))
    throw new Error(`not an object name: ${JSON.stringify(name.slice(0, 80))}`);
  return encodeURIComponent(name);
}
