import type { Command } from 'commander';
import { z } from 'zod';
import { decodeText } from '../../pkg/base/decode-text.ts';
import { UserError } from '../../pkg/base/errors.ts';
import { readGiven } from './given-file.ts';
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
      const workspaceId = await workspaceOf(options.workspace);
      const answer = await callTool(IMPORT, {
        workspaceId,
        ...(await handedOver(workspaceId, decodeText(await readGiven(file)))),
        onDuplicate,
        sourceNote: `file ${file.split(/[\\/]/).at(-1)}`.slice(0, 500),
        ...(list === undefined ? {} : { leadListId: list }),
        ...(campaign === undefined ? {} : { campaignId: campaign }),
        ...(dryRun ? { dryRun } : {}),
      });
      print(answer);
    });
}

const IMPORT = 'svc_import_leads_csv';
/** Characters and lines of a file that one call takes; what is larger goes by an upload address. */
const MOST_IN_A_CALL = 5_242_880;
const MOST_ROWS_IN_A_CALL = 10_000;
/** Real ms that the upload of 50 MB may take. */
const UPLOAD_MS = 600_000;

/**
 * The file as the tool takes it: in the call itself, or where it was put before.
 * @throws UserError when the upload is refused
 */
export async function handedOver(workspaceId: string, csv: string): Promise<{ csv: string } | { csvUrl: string }> {
  if (csv.length <= MOST_IN_A_CALL && csv.split('\n', MOST_ROWS_IN_A_CALL + 2).length <= MOST_ROWS_IN_A_CALL + 1)
    return { csv };
  const { uploadUrl } = awaited.parse(await callTool(IMPORT, { workspaceId }));
  const signal = AbortSignal.timeout(UPLOAD_MS);
  const answer = await fetch(uploadUrl, { method: 'PUT', body: csv, signal });
  if (!answer.ok) throw new UserError(`The upload was refused: ${(await answer.text()).slice(0, 500)}`);
  return { csvUrl: uploadUrl };
}

const awaited = z.object({ uploadUrl: z.string() });
