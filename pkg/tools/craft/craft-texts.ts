import type { z } from 'zod';
import { messageOf, UserError } from '../../base/errors.ts';
import type { CraftedText, CraftOrder, CraftResult } from '../../domain/craft/craft-order.ts';
import { isDistinct } from '../../domain/craft/distinct-texts.ts';
import { type CreditAction, creditsFor } from '../../domain/credits.ts';
import type { ResolvedPlaybook } from '../../domain/playbook.ts';
import { reviewFlags } from '../../domain/review-flags.ts';
import type { Tx } from '../../postgres/database.ts';
import type { AiWriter } from '../../providers/ai/ai-writer.ts';
import { CallError } from '../../providers/call-error.ts';
import { versionOf } from '../../store/playbooks/resolve-playbook.ts';
import { charged } from '../charge.ts';
import { isoOrNull } from '../times.ts';
import type { ToolContext } from '../tool-context.ts';
import { writerOf } from '../writer-of.ts';
import type { CraftParams, craftedText } from './craft-params.ts';

/** What a tool of this domain wants written. */
export interface CraftWork {
  workspaceId: string;
  campaignId?: string;
  action: Extract<CreditAction, 'ai_craft' | 'ai_craft_long'>;
  order: CraftOrder;
  resolved: ResolvedPlaybook;
  /** Earlier touches of the person, for the flags. */
  touches: number;
  /** What to do where there are too few facts; ends with a point. */
  nextStep: string;
}

/** Further parts of an answer: asked for once there is a text, kept with it. */
export interface Rest<R extends object> {
  ask(writer: AiWriter): Promise<R>;
  keep?(tx: Tx, rest: R): Promise<unknown>;
}
export const NOTHING_MORE: Rest<object> = { ask: () => Promise.resolve({}) };

interface Crafted {
  texts: z.input<typeof craftedText>[];
  playbookSource: string;
  playbookVersion: string;
  creditsSpent: number;
  writer: string;
}

/**
 * Writes the variants of a text: credits are held first and charged for texts that the checker let pass, each other than the ones before.
 * @throws UserError when there is none, and nothing is charged then
 */
export async function craftTexts<R extends object>(
  ctx: ToolContext,
  { variants, maxCredits }: Pick<CraftParams, 'variants' | 'maxCredits'>,
  work: CraftWork,
  rest: Rest<R>,
): Promise<Crafted & R> {
  const { workspaceId, campaignId, action, resolved } = work;
  const writer = await writerOf(ctx, workspaceId);
  const price = (texts: number): number => (writer.billable ? creditsFor(action, texts) : 0);
  const charge = { workspaceId, action, estimate: price(variants), maxCredits, ...(campaignId ? { campaignId } : {}) };
  return charged(
    ctx,
    charge,
    async () => {
      const texts = await variantsOf(ctx, writer, work, variants);
      return { made: { texts, more: await rest.ask(writer) }, credits: price(texts.length) };
    },
    async (tx, made, creditsSpent) => {
      await rest.keep?.(tx, made.more);
      return {
        texts: made.texts.map((text) => recordOf(text, work)),
        playbookSource: resolved.source,
        playbookVersion: versionOf(resolved),
        creditsSpent,
        writer: writer.name,
        ...made.more,
      };
    },
  );
}

/** The first has to come about; of the others those that do. */
async function variantsOf(
  ctx: ToolContext,
  writer: AiWriter,
  work: CraftWork,
  variants: number,
): Promise<CraftedText[]> {
  const made: CraftedText[] = [];
  for (let variant = 0; variant < variants; variant++) {
    ctx.signal.throwIfAborted();
    const seed = variant === 0 ? work.order.seed : `${work.order.seed}#${variant}`;
    const result = await asked(ctx, writer, { ...work.order, seed });
    if (result.kind !== 'written') {
      if (made.length === 0) throw refusal(result, work);
      break;
    }
    const { text } = result;
    if (
      isDistinct(
        text.text,
        made.map((one) => one.text),
      )
    )
      made.push(text);
    ctx.progress(variant + 1, variants, 'texts');
  }
  return made;
}

async function asked(ctx: ToolContext, writer: AiWriter, order: CraftOrder): Promise<CraftResult> {
  try {
    return await writer.craft(order, ctx.signal);
  } catch (error) {
    if (!(error instanceof CallError) || ctx.signal.aborted) throw error;
    if (error.kind === 'auth' || error.kind === 'refused') {
      const text = `The language model refuses us (${messageOf(error)}); nothing was charged. ${mender(ctx, writer)}`;
      throw new UserError(text, 'WriterRefuses');
    }
    const seconds = Math.ceil((error.retryAfterMs ?? 30_000) / 1_000);
    const text = `The language model does not answer in time; nothing was charged. Call it again in ${seconds} s.`;
    throw new UserError(text, 'WriterAway');
  }
}

/** Who can mend what the writer refuses. */
function mender(ctx: ToolContext, writer: AiWriter): string {
  return writer === ctx.ai
    ? 'The operators of this installation can mend it.'
    : 'It is the own model of this workspace: renew its credentials by svc_connect_integration.';
}

function refusal(result: Exclude<CraftResult, { kind: 'written' }>, { nextStep }: CraftWork): UserError {
  if (result.kind === 'no_facts') {
    return new UserError(
      `No text was written (no_facts: ${result.reason}); nothing was charged. ${nextStep}`,
      'NoFacts',
    );
  }
  const { failure, reason } = result;
  const why = `No text was written (${failure}: ${reason}); nothing was charged.`;
  const again =
    'Call it again, or with other instructions; what the house may say of itself stands in svc_get_playbook.';
  return new UserError(`${why} ${again}`, failure);
}

function recordOf(text: CraftedText, { order, touches }: CraftWork): z.input<typeof craftedText> {
  const signals = text.facts.flatMap(({ source, at }) => (source.startsWith('signal:') && at !== null ? [at] : []));
  const flags = reviewFlags({
    body: text.text,
    maxLength: order.maxLength,
    bannedPhrases: order.voice.bannedPhrases,
    touches,
    signalAt: signals.length > 0 ? Math.max(...signals) : null,
    now: order.now,
    facts: [...text.facts, { text: order.playbook ?? '' }, { text: order.instructions }],
  });
  return {
    subject: text.subject,
    body: text.text,
    length: text.text.length,
    facts: text.facts.map((fact) => ({ ...fact, at: isoOrNull(fact.at), segments: [...fact.segments] })),
    riskFlags: [...flags],
    language: text.language,
  };
}
