import { computed } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { currentId } from './session.ts';

/** What an address of the console means. */
export type Place =
  | { kind: 'start' }
  | { kind: 'sign-in'; token: string | null }
  | { kind: 'claim'; token: string }
  | { kind: 'workspace'; workspaceId: string; screen: string; rest: string }
  | { kind: 'platform'; screen: string; rest: string }
  | { kind: 'unknown' };

const ROOT = '/console/';

/** Reads an address: `/console/w/<workspace>/<screen>/<rest>`, `/console/platform/<screen>/<rest>`. */
export function placeOf(path: string): Place {
  const parts = path
    .replace(/^\/console\/?/, '')
    .split('/')
    .map(decoded);
  const [first = '', second = '', third = '', ...rest] = parts;
  if (first === '') return { kind: 'start' };
  if (first === 'sign-in') return { kind: 'sign-in', token: second || null };
  if (first === 'claim' && second !== '') return { kind: 'claim', token: second };
  if (first === 'w' && second !== '')
    return { kind: 'workspace', workspaceId: second, screen: third, rest: rest.join('/') };
  if (first === 'platform')
    return { kind: 'platform', screen: second, rest: [third, ...rest].filter(Boolean).join('/') };
  return { kind: 'unknown' };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function joined(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .flatMap((part) => part.split('/'))
    .map(encodeURIComponent)
    .join('/');
}

/** The address of a screen of a workspace. */
export function workspacePath(workspaceId: string, screen = '', rest = ''): string {
  return `${ROOT}${joined(['w', workspaceId, screen, rest])}`;
}

/** The address of a screen of the platform. */
export function platformPath(screen = '', rest = ''): string {
  return `${ROOT}${joined(['platform', screen, rest])}`;
}

/** Addresses of screens of the workspace that is looked at. */
export const here = computed(
  () =>
    (screen: string, rest = ''): string =>
      currentId.value === null ? ROOT : workspacePath(currentId.value, screen, rest),
);

/** Goes to another part of a screen, or to another screen, of the workspace that is looked at. */
export function useGo(): (screen: string, rest?: string, options?: { replace?: boolean }) => void {
  const { route } = useLocation();
  return (screen, rest = '', { replace = false } = {}) => route(here.value(screen, rest), replace);
}
