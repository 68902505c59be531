import { groupVersion } from './registry.ts';
import type { Kind } from './types.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** `/apis`: the groups. */
export function groupList(kinds: Kind[]): object {
  const groups = [...new Set(kinds.map((kind) => kind.group))].filter((group) => group !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((group) => groupOf(kinds, group)) };
}

/** `/apis/<group>`; undefined for an unknown one. */
export function groupOf(kinds: Kind[], name: string): object | undefined {
  const versions = [...new Set(kinds.filter((kind) => kind.group === name).map((kind) => kind.version))];
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return entries.length === 0
    ? undefined
    : { kind: 'APIGroup', apiVersion: 'v1', name, versions: entries, preferredVersion: entries[0] };
}

/** `/api/v1` and `/apis/<group>/<version>`; undefined for an unknown one. */
export function resourceList(kinds: Kind[], group: string, version: string): object | undefined {
  const found = kinds.filter((kind) => kind.group === group && kind.version === version);
  if (found.length === 0) return undefined;
  const resources = found.flatMap((kind) => {
    const base = { namespaced: kind.namespaced, kind: kind.kind };
    const main = {
      name: kind.plural,
      singularName: kind.singular,
      ...base,
      verbs: VERBS,
      shortNames: kind.shortNames,
      categories: kind.categories,
    };
    const status = { name: `${kind.plural}/status`, singularName: '', ...base, verbs: ['get', 'patch', 'update'] };
    const log = { name: 'pods/log', singularName: '', ...base, verbs: ['get'] };
    return [main, ...(kind.hasStatus ? [status] : []), ...(kind.plural === 'pods' ? [log] : [])];
  });
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: groupVersion({ group, version }), resources };
}
