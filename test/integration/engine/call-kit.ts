import { expect } from 'chai';
import { type CallStage, openCallStage } from './call-stage.ts';
import type { GraphInput } from './fixtures.ts';
import type { EngineHandle } from './harness.ts';
import { chain } from './place.ts';

export type Node = GraphInput['nodes'][number];

/** A stage of outside services with an engine, and what tests of its nodes ask for again and again. */
export class CallKit {
  readonly stage: CallStage;
  readonly engine: EngineHandle;

  private constructor(stage: CallStage, engine: EngineHandle) {
    this.stage = stage;
    this.engine = engine;
  }

  static async open(): Promise<CallKit> {
    const stage = await openCallStage();
    return new CallKit(stage, await stage.engine());
  }

  /** Sends one lead through a node. */
  async through(
    node: Node,
    lead: object,
    handle: EngineHandle,
  ): Promise<{ leadId: string; outcome: string; data: Record<string, unknown> }> {
    const { stage } = this;
    const leadId = await stage.lead(lead);
    await stage.enrol(await stage.flow(chain(node)), leadId);
    await handle.quiet();
    const [first] = await stage.outcomes(leadId);
    return { leadId, outcome: first?.outcome ?? 'none yet', data: first?.data ?? {} };
  }

  /** A service answers this status until told otherwise. */
  refuse(service: string, status: number): Promise<unknown> {
    return this.stage.control('outside', { service, reply: { status } });
  }

  /** Credits that `work` cost; nothing stays on hold. */
  async spent(work: () => Promise<unknown>): Promise<number> {
    const before = await this.stage.credits();
    await work();
    const after = await this.stage.credits();
    expect(after.held, 'nothing stays on hold').to.equal(0);
    return before.balance - after.balance;
  }
}
