import { answerInputs } from '../../base/foreign-bytes/parse-worker.ts';
import type { MailInput } from './mail-parser.ts';
import type { IncomingMail, SentMail } from './mail-provider.ts';
import { parseIncoming, parseSent } from './parse-incoming.ts';

/** The program of a worker that reads mails. */
answerInputs(async (input: MailInput): Promise<IncomingMail | (SentMail | null)[]> => {
  if (input.kind === 'incoming') return parseIncoming(input.uid, Buffer.from(input.source), input.receivedAt);
  const found: (SentMail | null)[] = [];
  for (const head of input.heads) found.push((await parseSent(Buffer.from(head))) ?? null);
  return found;
});
