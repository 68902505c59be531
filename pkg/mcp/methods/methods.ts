import { narrowingOf } from '../narrowing.ts';
import { complete } from './complete.ts';
import type { Method } from './method.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listResources, listResourceTemplates, readResource, refuseCursor } from './resources.ts';
import { setLevel } from './set-level.ts';
import { subscribe, unsubscribe } from './subscribe.ts';

const listTools: Method = (services, context, params) => {
  refuseCursor(params);
  return services.toolList.result(
    narrowingOf(context.narrowedBy, services.toolList.known),
    context.authenticated.caller.scopes,
    context.protocolVersion,
  );
};

const COMMON: readonly (readonly [string, Method])[] = [
  ['tools/list', listTools],
  ['resources/list', listResources],
  ['resources/templates/list', listResourceTemplates],
  ['resources/read', readResource],
  ['prompts/list', listPrompts],
  ['prompts/get', getPrompt],
  ['completion/complete', complete],
];

/** Methods of a session (2025-03-26 to 2025-11-25), next to tools/call and initialize. */
export const SESSION_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['ping', () => '{}'],
  ['logging/setLevel', setLevel],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
  ...COMMON,
]);

/** Methods without a session (2026-07-28), next to tools/call, server/discover and subscriptions/listen. */
export const STATELESS_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>(COMMON);
