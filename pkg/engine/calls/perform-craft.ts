import { defaultLanguage } from '../../domain/craft/writing-languages.ts';
import { creditsFor } from '../../domain/credits.ts';
import type { CallAsk } from '../../nodes/call-ask.ts';
import { readVoice } from '../../store/content/brand-voice.ts';
import { agentOfRun } from '../../store/playbooks/agent-playbook.ts';
import { readPersona } from '../../store/playbooks/craft-facts.ts';
import { resolveFor, versionOf } from '../../store/playbooks/resolve-playbook.ts';
import { callWriter } from './call-writer.ts';
import type { Performer } from './performer.ts';

/** Writes a text under the one playbook that applies. */
export const performCraft: Performer = async (deps, call) => {
  const { order, personaId } = call.ask as Extract<CallAsk, { call: 'craft' }>;
  const { workspaceId } = deps;
  const { writer, integration } = await callWriter(deps);
  const { resolved, persona, voice } = await deps.claim.tx(async (tx) => {
    const agent = await agentOfRun(tx, call.runId);
    const { resolved } = await resolveFor(tx, workspaceId, call.campaignId, agent);
    const persona = personaId ? await readPersona(tx, workspaceId, personaId) : undefined;
    return { resolved, persona, voice: await readVoice(tx, workspaceId) };
  });
  const { text: playbook } = resolved;
  const language = defaultLanguage('', playbook);
  const whole = { ...order, language, playbook, persona: persona ?? null, voice };
  return {
    ...integration,
    async perform({ signal }) {
      const crafted = await writer.craft(whole, signal);
      if (crafted.kind === 'no_facts') return { outcome: 'no_facts', reason: crafted.reason };
      if (crafted.kind === 'failed') return { outcome: 'no_facts', reason: `${crafted.failure}: ${crafted.reason}` };
      const { text, facts } = crafted.text;
      return {
        outcome: 'done',
        data: {
          text,
          facts: facts.map((fact) => ({ ...fact, segments: [...fact.segments] })),
          writer: writer.name,
          playbookSource: resolved.source,
          playbookVersion: versionOf(resolved),
        },
        credits: writer.billable ? creditsFor('ai_craft', 1) : 0,
      };
    },
  };
};
