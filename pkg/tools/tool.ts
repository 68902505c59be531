import type { z } from 'zod';
import type { Tx } from '../postgres/database.ts';
import type { ToolContext } from './tool-context.ts';

/** Request-limit category. Source: specification, Limits. */
export type Category = 'read' | 'write' | 'llm';

/** How the workspace of a call is found. Source: catalog conventions. */
export type WorkspaceRule =
  /** `workspaceId` parameter: optional with a workspace key, required with a user key; resolved before `run`. */
  | 'param'
  /** As `param`, but a user key may give `campaignId` instead (lists of icps, personas, phases, workflows). */
  | 'param_or_campaign'
  /** The record decides; looked up under the caller's rights, a foreign one is "not found". */
  | 'record'
  /** No workspace (whoami, vocabulary). */
  | 'none'
  /** Platform admins only (scopes admin:*). */
  | 'platform';

/**
 * A call that works: docs/tools.md shows it, and a test makes it as an MCP client. `$name` in a text stands for an id that the
 * example of another tool keeps, or that the test's fixture gives (test/fixtures/given-records.ts).
 */
export interface ToolExample<Input = object> {
  input: Input;
  /** Name -> path in the result, for examples of other tools. */
  keep?: Readonly<Record<string, string>>;
  /** Tools whose examples come before, where no id of theirs says so. */
  after?: readonly `svc_${string}`[];
  /** Who may call it; absent: a key of the workspace. */
  caller?: 'owner' | 'admin';
  /** Where the tool takes `idempotencyKey`: what makes the input another one, which the same key must refuse. */
  other?: Partial<Input>;
}

/** One tool: everything else (schema, annotations, scope check, limits, documentation, metrics) follows from it. */
export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  name: `svc_${string}`;
  /** Domain as the catalog names it, for example `Campaigns`. */
  domain: string;
  title: string;
  description: string;
  example: ToolExample<z.input<I>>;
  /** `{domain}:{action}`, or `none`. */
  scope: string;
  /** A scope that opens a part of the tool too; the tool itself narrows what it shows. */
  partialScope?: string;
  /** Members of every role may: the tool itself says what of it. */
  anyRole?: true;
  /** A part of deciding drafts, which is what reviewers are for. */
  decidesDrafts?: true;
  category: Category;
  /**
   * Whether it reaches people outside or spends: it sends, publishes, charges, or starts, approves, feeds or opens what does, or changes
   * what a live step writes by or to whom. A chat client that somebody let in may call it only where they allowed that too. Each tool that
   * writes says so; one that only reads never does.
   */
  reaches?: boolean;
  hints: { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean };
  workspace: WorkspaceRule;
  input: I;
  output: O;
  /**
   * Whether an earlier answer still holds when the same call is made again within a minute. Absent: it holds while every
   * record that it names is there.
   */
  stands?(tx: Tx, answer: z.input<O>, input: z.output<I>): Promise<boolean>;
  /** @throws UserError with a text that names the next tool */
  run(ctx: ToolContext, input: z.output<I>): Promise<z.input<O>>;
}

/** A tool whose parameter types are hidden; what the registry holds. */
export interface AnyTool extends Omit<Tool, 'run' | 'stands' | 'example'> {
  example: ToolExample;
  stands?(tx: Tx, answer: never, input: never): Promise<boolean>;
  run(ctx: ToolContext, input: never): Promise<object>;
}

/** Whether absent parameters stay as they are. Source: catalog conventions (PATCH semantics on every update tool). */
export function isUpdate({ name }: AnyTool): boolean {
  return /^svc_(admin_)?(update|upsert|edit)_/.test(name);
}

/** Declares a tool; the only way to make one. */
export function tool<I extends z.ZodObject, O extends z.ZodObject>(declaration: Tool<I, O>): AnyTool {
  return declaration as unknown as AnyTool;
}
