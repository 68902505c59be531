import { readLatestReply } from '../../store/playbooks/craft-facts.ts';
import type { Performer } from './performer.ts';

/** Classifies the latest reply of the person; without any it is neutral. */
export const performClassify: Performer = async (deps, call) => {
  const { personId } = call;
  const reply = personId ? await deps.claim.tx((tx) => readLatestReply(tx, personId)) : undefined;
  return {
    async perform({ signal }) {
      if (!reply) return { outcome: 'neutral', reason: 'the person has not written yet' };
      const replyClass = await deps.outside.writer.classify(reply.text, reply.at, signal);
      const outcome = replyClass === 'unclassified' ? 'neutral' : replyClass;
      return { outcome, data: { replyClass: outcome, accountId: reply.accountId } };
    },
  };
};
