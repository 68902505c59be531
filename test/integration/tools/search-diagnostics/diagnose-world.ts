import { expect } from 'chai';
import { HOUR } from '../../stories/engine-stage.ts';
import { type Check, type DiagnoseStage, type Diagnosis, failedOf } from './diagnose-stage.ts';

/** A check of a target, and the tool that it must name. */
export interface Expected {
  target: string;
  targetId?: string | undefined;
  check: string;
  tool: string;
}

/** What tests of svc_diagnose do with a stage, which is there once they run. */
export type DiagnoseWorld = ReturnType<typeof diagnoseWorld>;

export function diagnoseWorld(stageOf: () => DiagnoseStage) {
  const acme = (name: string, input: object = {}): Promise<unknown> => stageOf().acme.call(name, input);
  const boss = (name: string, input: object): Promise<unknown> =>
    stageOf().boss.call(name, { reason: 'test', ...input });
  const account = (): { networkAccountId: string } => ({ networkAccountId: stageOf().accountId });
  const failed = async ({ target, targetId }: Pick<Expected, 'target' | 'targetId'>): Promise<Map<string, Check>> =>
    failedOf(await stageOf().diagnose(target, targetId));

  /** Checks fail by their cause and name their tool; after it was followed they do not. */
  async function clears(
    expected: readonly Expected[],
    cause: () => Promise<unknown>,
    follow: (found: Check, index: number) => Promise<unknown>,
    settle: () => Promise<unknown> = async () => undefined,
  ): Promise<void> {
    for (const one of expected) expect([...(await failed(one)).keys()], 'before').to.not.include(one.check);
    await cause();
    const found: Check[] = [];
    for (const one of expected) {
      const diagnosis = await during((now) => !failedOf(now).has(one.check), one);
      const check = failedOf(diagnosis).get(one.check);
      if (!check) throw new Error(`${one.check} did not fail: ${JSON.stringify(diagnosis.checks)}`);
      expect(check.nextTool, one.check).to.equal(one.tool);
      expect(diagnosis.healthy).to.equal(false);
      found.push(check);
    }
    for (const [index, check] of found.entries()) await follow(check, index);
    await settle();
    for (const one of expected) {
      const diagnosis = await during((now) => failedOf(now).has(one.check), one);
      expect([...failedOf(diagnosis).keys()], 'after').to.not.include(one.check);
    }
  }
  /** Diagnoses until it is no longer so, some hours at most: an account acts at its own pace. */
  async function during(so: (now: Diagnosis) => boolean, { target, targetId }: Expected): Promise<Diagnosis> {
    for (let hour = 0; ; hour++) {
      const diagnosis = await stageOf().diagnose(target, targetId);
      if (hour === 12 || !so(diagnosis)) return diagnosis;
      await stageOf().pass(HOUR);
    }
  }
  const tool = (check: Check): string => check.nextTool ?? '';
  return { stageOf, acme, boss, account, failed, clears, tool };
}
