import { personsWords } from '../../domain/persons-words.ts';
import type { Tx } from '../../postgres/database.ts';
import { classReply } from '../../store/inbox/class-reply.ts';
import { readSentMails } from '../../store/mail/mail-sync.ts';
import { readLatestReply } from '../../store/playbooks/craft-facts.ts';
import { callWriter } from './call-writer.ts';
import type { Performer } from './performer.ts';

/** Classifies the latest reply of the person; without any it is neutral. */
export const performClassify: Performer = async (deps, call) => {
  const { personId, leadId } = call;
  const { workspaceId } = deps;
  const reply = personId ? await deps.claim.tx((tx) => readOwnReply(tx, personId)) : undefined;
  const { writer, integration } = await callWriter(deps);
  return {
    ...integration,
    async perform({ signal }) {
      if (!reply) return { outcome: 'neutral', reason: 'the person has not written yet' };
      const replyClass = await writer.classify(reply.text, reply.at, signal);
      const outcome = replyClass === 'unclassified' ? 'neutral' : replyClass;
      return {
        outcome,
        data: { replyClass: outcome, accountId: reply.accountId },
        async also(tx, now) {
          await classReply(tx, { workspaceId, messageId: reply.id, leadId, replyClass, actor: 'engine', now });
          return undefined;
        },
      };
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
