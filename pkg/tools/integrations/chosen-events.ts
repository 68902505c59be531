import { EVENT_KINDS, type EventKind } from '../../domain/event-kinds.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import { invalidInput, notFound } from '../errors.ts';
import { requireScope } from '../require-scope.ts';
import type { ToolContext } from '../tool-context.ts';
import type { ConnectRequest } from './connect-request.ts';

const KNOWN: ReadonlySet<string> = new Set(EVENT_KINDS);
const isKind = (word: string): word is EventKind => KNOWN.has(word);

/**
 * The kinds of events that an endpoint is to follow; undefined: those that it follows.
 * @throws UserError for a kind that is none, or that the caller may not read
 */
export function chosenEvents(
  ctx: Pick<ToolContext, 'caller'>,
  { events, webhookTemplateId }: Pick<ConnectRequest, 'events' | 'webhookTemplateId'>,
): EventKind[] | undefined {
  if (webhookTemplateId !== undefined && !isKind(webhookTemplateId)) {
    throw notFound('webhookTemplate', webhookTemplateId);
  }
  if (events === undefined && webhookTemplateId === undefined) return undefined;
  const words = new Set([...(events ?? []), ...(webhookTemplateId === undefined ? [] : [webhookTemplateId])]);
  return [...words].map((word, at) => {
    if (!isKind(word))
      throw invalidInput(`events.${at}`, `${word} is no kind of event; call svc_list_webhook_templates`);
    requireScope(ctx, EVENT_DEFINITIONS[word].scope, `follow ${word}`);
    return word;
  });
}
