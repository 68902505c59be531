import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createLogger } from '../../../pkg/base/log.ts';
import { Ingress } from '../../../pkg/mcp/ingress.ts';
import type { GraphInput } from './fixtures.ts';
import { type Bench, enrol, openBench } from './harness.ts';
import { type MailPlace, MailStage } from './mail-stage.ts';
import { outcomeOf } from './node-outcome.ts';
import { DAY } from './place.ts';

export type Node = GraphInput['nodes'][number];
export const mail = (config: object = {}): Node => ({
  nodeType: 'mail:send',
  config: { subject: 'About {{lead:company}}', text: 'Hello {{lead:firstName}}', ...config },
});
export const waitReply = (days = 3): Node => ({ nodeType: 'mail:wait_reply', config: { timeoutMs: days * DAY } });
export const end: Node = { nodeType: 'flow:join' };

/** A database, mail servers and an ingress for addresses to unsubscribe. */
export class MailKit {
  readonly bench: Bench;
  readonly stage: MailStage;
  readonly #ingress: Ingress;

  private constructor(bench: Bench, stage: MailStage, ingress: Ingress) {
    this.bench = bench;
    this.stage = stage;
    this.#ingress = ingress;
  }

  static async open(): Promise<MailKit> {
    const bench = await openBench();
    const log = createLogger('test', 'silent');
    const ingress = new Ingress({ db: bench.app, product: bench.clock, ids: { uuid: randomUUID }, log } as never);
    return new MailKit(bench, await MailStage.open(bench, await ingress.listen('127.0.0.1', 0)), ingress);
  }

  async close(): Promise<void> {
    await this.stage.close();
    await this.#ingress.close();
    await this.bench.close();
  }

  /** Enrols a lead of this address, and lets its first step be done. */
  async start(at: MailPlace, email: string | null): Promise<string> {
    const leadId = await this.stage.lead(at, email);
    const [enrolled] = await enrol(this.bench, at.ws, at.flow, [leadId]);
    expect(enrolled?.skipped).to.equal(null);
    await at.handle.quiet();
    return leadId;
  }

  async outcome(leadId: string, nodeId = 'n0'): Promise<string | undefined> {
    return (await outcomeOf(this.bench, leadId, nodeId))?.outcome;
  }
}
