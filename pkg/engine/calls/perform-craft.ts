import { creditsFor } from '../../domain/credits.ts';
import { resolvePlaybook } from '../../domain/playbook.ts';
import type { CallAsk } from '../../nodes/call-ask.ts';
import { agentOfRun } from '../../store/playbooks/agent-playbook.ts';
import { readPersona, readPlaybooks } from '../../store/playbooks/craft-facts.ts';
import type { Performer } from './performer.ts';

/** Writes a text under the one playbook that applies. */
export const performCraft: Performer = async (deps, call) => {
  const ask = call.ask as Extract<CallAsk, { call: 'craft' }>;
  const { outside, workspaceId } = deps;
  const { playbooks, persona, signalAgent } = await deps.claim.tx(async (tx) => ({
    playbooks: await readPlaybooks(tx, workspaceId, call.campaignId),
    signalAgent: await agentOfRun(tx, call.runId),
    persona: ask.personaId ? await readPersona(tx, workspaceId, ask.personaId) : undefined,
  }));
  const { text: playbook } = resolvePlaybook({
    workspace: playbooks?.playbook
      ? { id: workspaceId, version: String(playbooks.playbookVersion ?? 0), text: playbooks.playbook }
      : null,
    campaignOverride: playbooks?.override ? { id: call.campaignId, version: '0', text: playbooks.override } : null,
    signalAgent,
  });
  const { channel, facts, requireFacts, maxLength, instructions, seed } = ask;
  const order = { channel, facts, requireFacts, maxLength, instructions, seed, playbook, persona: persona ?? null };
  return {
    async perform({ signal }) {
      const crafted = await outside.writer.craft(order, signal);
      if (!crafted) return { outcome: 'no_facts', reason: `no text with ${requireFacts} facts came about` };
      return {
        outcome: 'done',
        data: { text: crafted.text, facts: crafted.facts.map((fact) => ({ ...fact })), writer: outside.writer.name },
        credits: outside.writer.billable ? creditsFor('ai_craft', 1) : 0,
      };
    },
  };
};
