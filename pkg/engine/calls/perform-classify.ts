import { personsWords } from '../../domain/persons-words.ts';
import type { Tx } from '../../postgres/database.ts';
import { readSentMails } from '../../store/mail/mail-sync.ts';
import { readLatestReply } from '../../store/playbooks/craft-facts.ts';
import type { Performer } from './performer.ts';

/** Classifies the latest reply of the person; without any it is neutral. */
export const performClassify: Performer = async (deps, call) => {
  const { personId } = call;
  const reply = personId ? await deps.claim.tx((tx) => readOwnReply(tx, personId)) : undefined;
  return {
    async perform({ signal }) {
      if (!reply) return { outcome: 'neutral', reason: 'the person has not written yet' };
      const replyClass = await deps.outside.writer.classify(reply.text, reply.at, signal);
      const outcome = replyClass === 'unclassified' ? 'neutral' : replyClass;
      return { outcome, data: { replyClass: outcome, accountId: reply.accountId } };
    },
  };
};

/** The latest reply without what it quotes of ours. */
async function readOwnReply(tx: Tx, personId: string) {
  const reply = await readLatestReply(tx, personId);
  if (!reply) return undefined;
  const sent = await readSentMails(tx, reply.accountId, [personId]);
  return {
    ...reply,
    text: personsWords(
      reply.text,
      sent.map(({ body }) => body),
    ),
  };
}
