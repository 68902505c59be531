import type { CraftOrder, CraftTask } from '../../domain/craft/craft-order.ts';
import { languageOf } from '../../domain/craft/language-of.ts';
import { defaultLanguage } from '../../domain/craft/writing-languages.ts';
import { senderOf } from '../../domain/template.ts';
import { readVoice } from '../../store/content/brand-voice.ts';
import { resolveFor } from '../../store/playbooks/resolve-playbook.ts';
import type { ToolContext } from '../tool-context.ts';
import { askedLanguage, type CraftParams } from './craft-params.ts';
import type { CraftWork } from './craft-texts.ts';
import { personaOf } from './lead-order.ts';

/** A text of the workspace that is for no lead. */
export interface WorkspaceText extends Omit<CraftParams, 'variants'> {
  task: CraftTask;
  facts: CraftOrder['facts'];
  requireFacts: number;
  maxLength: number;
  /** Words in whose language it is written where nobody asked for one. */
  about: string;
  seed: string;
  action: CraftWork['action'];
  nextStep: string;
}

/** What is written in the voice of the resolved workspace, under its playbook alone. @throws UserError not found */
export async function workspaceWork(ctx: ToolContext, asked: WorkspaceText): Promise<CraftWork> {
  const { workspaceId } = ctx;
  const given = askedLanguage(asked.language);
  return ctx.tx(async (tx) => {
    const persona = await personaOf(tx, workspaceId, asked.personaId);
    const { resolved } = await resolveFor(tx, workspaceId, null, null);
    const { task, facts, requireFacts, maxLength, seed, action, nextStep } = asked;
    const order: CraftOrder = {
      task,
      facts,
      requireFacts,
      maxLength,
      seed,
      language: given ?? languageOf(asked.about) ?? defaultLanguage('', resolved.text),
      addressee: '',
      sender: senderOf(ctx.caller.user?.name ?? ''),
      instructions: asked.instructions ?? '',
      playbook: resolved.text,
      persona,
      voice: await readVoice(tx, workspaceId),
      now: ctx.clocks.product.now(),
    };
    return { workspaceId, action, order, resolved, touches: 1, nextStep };
  });
}
