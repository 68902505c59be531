import { describeTool, ToolList } from '../../pkg/mcp/tool-list.ts';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';

const ALL = { toolsets: null, tools: null, readOnly: false, scoped: false, outputs: false };

/** tools/list from prepared bytes against making the schemas at every call, as the SDK's server does. */
export function benchToolList(): string[] {
  const list = new ToolList(ALL_TOOLS);
  const prepared = perCall(2_000, () => list.result(ALL, new Set(), '2025-11-25'));
  const made = perCall(20, () => JSON.stringify(ALL_TOOLS.map(describeTool)));
  return [
    `tools/list         ${prepared.toFixed(2)} us from prepared bytes, ${(made / prepared).toFixed(0)} times faster than made anew (${made.toFixed(0)} us)`,
  ];
}

/** Mean in microseconds. */
function perCall(times: number, call: () => unknown): number {
  call();
  const started = process.hrtime.bigint();
  for (let round = 0; round < times; round++) call();
  return Number(process.hrtime.bigint() - started) / 1_000 / times;
}
