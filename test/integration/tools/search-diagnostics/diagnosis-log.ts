import { CHECKS } from '../../../../pkg/tools/search-diagnostics/checks/check-names.ts';
import type { ToolUser } from '../../../tools/mcp-tools.ts';
import type { Check, Diagnosis } from './diagnose-stage.ts';

type Target = keyof typeof CHECKS;

/** Nothing lifts these for the same record, by their nature: the named tool leads to another one that passes. */
const FOR_GOOD: readonly string[] = ['lead: not_erased', 'lead: not_suppressed', 'network_account: rehearsal'];

/** A check that failed, and whether the tool that it names was called since. */
interface Failed {
  nextTool: string | null;
  followed: boolean;
}

/** What was seen of `svc_diagnose`: a check is proven once it failed, the tool it named was called, and it passed. */
export class DiagnosisLog {
  readonly #failed = new Map<string, Failed>();
  readonly #proven = new Set<string>();

  /** The same user of this workspace, watched. */
  watch(user: ToolUser, workspaceId = 'acme'): ToolUser {
    const called = (name: string): void => {
      for (const one of this.#failed.values()) one.followed ||= one.nextTool === name;
    };
    return {
      client: user.client,
      call: async <T>(name: string, input: object = {}): Promise<T> => {
        const answer = await user.call<T>(name, input);
        called(name);
        if (name === 'svc_diagnose') this.#seen({ ...(input as Asked), workspaceId }, answer as Diagnosis);
        return answer;
      },
      again: (name, input) => user.again(name, input),
      refusal: (name, input) => user.refusal(name, input),
    };
  }

  /** Checks that can fail and were not proven, `<target>: <check>`. */
  unproven(): string[] {
    const all = Object.entries(CHECKS).flatMap(([target, checks]) => checks.map((check) => `${target}: ${check}`));
    return all.filter((name) => !this.#proven.has(name));
  }

  #seen({ target, targetId: given, workspaceId }: Asked & { workspaceId: string }, { checks }: Diagnosis): void {
    const targetId = given ?? workspaceId;
    const failing = new Map(checks.filter((check) => !check.ok).map((check) => [check.check, check]));
    for (const check of failing.values()) this.#fails(target, targetId, check);
    for (const name of CHECKS[target]) {
      const key = keyOf(target, targetId, name);
      if (failing.has(name) || !this.#failed.get(key)?.followed) continue;
      this.#failed.delete(key);
      this.#proven.add(`${target}: ${name}`);
    }
  }

  #fails(target: Target, targetId: string, { check, nextTool }: Check): void {
    if (!(CHECKS[target] as readonly string[]).includes(check))
      throw new Error(`${target}: ${check} is not in check-names.ts`);
    const key = keyOf(target, targetId, check);
    const before = this.#failed.get(key);
    this.#failed.set(key, { nextTool, followed: before?.nextTool === nextTool && before.followed });
  }
}

interface Asked {
  target: Target;
  targetId?: string;
}

function keyOf(target: Target, targetId: string, check: string): string {
  return FOR_GOOD.includes(`${target}: ${check}`) ? `${target}: ${check}` : `${target} ${targetId}: ${check}`;
}
