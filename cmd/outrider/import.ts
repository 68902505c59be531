import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { decodeText } from '../../pkg/base/decode-text.ts';
import { print, workspaceOf } from './keys.ts';
import { callTool } from './mcp-call.ts';

interface ImportOptions {
  list?: string;
  campaign?: string;
  workspace?: string;
  onDuplicate: string;
  dryRun?: true;
}

/** `outrider import <file>`: leads of a CSV file in whatever encoding its program saved it. */
export function addImportCommand(program: Command): void {
  program
    .command('import <file>')
    .description('import the leads of a CSV file, for example: outrider import people.csv --list <leadListId>')
    .option('--list <id>', 'lead list that takes them')
    .option('--campaign <id>', 'campaign whose candidates they become')
    .option('--workspace <id>', 'workspace id (default: the demo workspace)')
    .option('--on-duplicate <mode>', 'skip, fill_empty or overwrite', 'fill_empty')
    .option('--dry-run', 'say what would happen, write nothing')
    .action(async (file: string, options: ImportOptions) => {
      const { list, campaign, onDuplicate, dryRun } = options;
      const answer = await callTool('svc_import_leads_csv', {
        workspaceId: await workspaceOf(options.workspace),
        csv: decodeText(await readFile(file)),
        onDuplicate,
        sourceNote: `file ${file.split(/[\\/]/).at(-1)}`.slice(0, 500),
        ...(list === undefined ? {} : { leadListId: list }),
        ...(campaign === undefined ? {} : { campaignId: campaign }),
        ...(dryRun ? { dryRun } : {}),
      });
      print(answer);
    });
}
