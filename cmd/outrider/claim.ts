import type { Command } from 'commander';
import { systemIds } from '../../pkg/base/ids.ts';
import { makeClaim } from '../../pkg/store/console/claims.ts';
import { connection } from './home-client.ts';
import { onPlatform } from './installation.ts';

/** Where the console is, and which workspaces its first visitor is to see. */
interface Place {
  url: string;
  workspaces: readonly string[];
}

/** `outrider claim`: a link by which somebody becomes a platform admin, for the first one and for who lost the way in. */
export function addClaimCommand(program: Command): void {
  program
    .command('claim')
    .description(
      'print a link into the web console that makes the first person who uses it a platform admin; one use, one hour',
    )
    .option('--url <address>', 'address of the console’s host (default: CONSOLE_URL, else that of the running home)')
    .action(async ({ url }: { url?: string }) => {
      const place = await placeOf(url ?? process.env['CONSOLE_URL']);
      const token = await onPlatform(({ db }) =>
        db.tx({ kind: 'platform' }, (tx) => makeClaim(tx, { id: systemIds.uuid(), workspaces: place.workspaces })),
      );
      console.log(`${place.url.replace(/\/$/, '')}/console/claim/${token}`);
    });
}

/** In a pod without a public address: what `kubectl port-forward` opens. */
const FORWARDED = 'http://localhost:7420';

async function placeOf(url: string | undefined): Promise<Place> {
  if (url !== undefined) return { url, workspaces: [] };
  if (process.env['DATABASE_URL'] || process.env['OWNER_DATABASE_URL']) return { url: FORWARDED, workspaces: [] };
  const { mcpUrl, workspaceId } = await connection();
  return { url: new URL(mcpUrl).origin, workspaces: [workspaceId] };
}
