import type { MessageContext, MessageServices } from '../handle-message.ts';
import type { PreparedJson } from '../json-answer.ts';

/** Answers one method; the result as JSON of an object. */
export type Method = (
  services: MessageServices,
  context: MessageContext,
  params: Record<string, unknown>,
) => string | PreparedJson | Promise<string>;
