import type { Command } from 'commander';
import { z } from 'zod';
import { UserError } from '../../pkg/base/errors.ts';
import { callTool } from './mcp-call.ts';

const inputSchema = z.record(z.string(), z.unknown());

/** `outrider call <tool> <json>`: one tool call from the shell. */
export function addCallCommand(program: Command): void {
  program
    .command('call <tool> [json]')
    .description("call a tool, for example: outrider call svc_whoami '{}'")
    .action(async (tool: string, json = '{}') => {
      console.log(JSON.stringify(await callTool(tool, parseInput(json)), null, 2));
    });
}

function parseInput(json: string): Record<string, unknown> {
  try {
    return inputSchema.parse(JSON.parse(json));
  } catch {
    throw new UserError(`The input is no JSON object: ${json}`);
  }
}
