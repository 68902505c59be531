import type { MessageContext, MessageServices } from '../handle-message.ts';

/** Answers one method; the result as JSON text of an object, since some are prepared bytes. */
export type Method = (
  services: MessageServices,
  context: MessageContext,
  params: Record<string, unknown>,
) => string | Promise<string>;
