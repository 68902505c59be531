import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { z } from 'zod';
import { decodeText } from '../../pkg/base/decode-text.ts';
import { UserError } from '../../pkg/base/errors.ts';
import { readGiven } from './given-file.ts';
import { callTool } from './mcp-call.ts';

const inputSchema = z.record(z.string(), z.unknown());

/** `outrider call <tool> <json>`: one tool call from the shell; its input may stand in a file (`@file`) or come from a pipe (`-`). */
export function addCallCommand(program: Command): void {
  program
    .command('call <tool> [json]')
    .description(
      "call a tool, for example: outrider call svc_whoami '{}' (@file and - read the input from a file or a pipe)",
    )
    .action(async (tool: string, json = '{}') => {
      console.log(JSON.stringify(await callTool(tool, parseInput(await inputText(json))), null, 2));
    });
}

async function inputText(given: string): Promise<string> {
  if (given !== '-' && !given.startsWith('@')) return given;
  return decodeText(given === '-' ? await buffer(process.stdin) : await readGiven(given.slice(1)));
}

function parseInput(json: string): Record<string, unknown> {
  try {
    return inputSchema.parse(JSON.parse(json));
  } catch {
    throw new UserError(`The input is no JSON object: ${json.slice(0, 500)}`);
  }
}
