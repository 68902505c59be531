import { begin, setUpOffice } from './begin.ts';
import { castOf, otherWorkspace, WEEKDAYS } from './cast.ts';
import { interrupt } from './interrupt.ts';
import type { OldHome } from './old-home.ts';
import type { SlowWriter } from './slow-writer.ts';

/** A Monday, early, so that it lies before any machine's present. */
export const BEGIN = Date.UTC(2026, 0, 5, 7);
/** Friday, in the hours of all accounts. */
const INTERRUPTED = Date.UTC(2026, 0, 9, 10);

/** Lets a home of the old program live for four days, and leaves it in the middle of its work. */
export async function live(home: OldHome, writer: SlowWriter): Promise<void> {
  const { workspaceId } = home.connection;
  await setUpOffice(home, workspaceId);
  const { campaignId } = await home.call<{ campaignId: string }>('svc_create_campaign', {
    workspaceId,
    title: 'Winter',
    goal: 'Ten conversations',
  });
  await home.call('svc_update_campaign', { campaignId, businessHours: WEEKDAYS });
  const demo = castOf(home, workspaceId, campaignId);
  const other = await otherWorkspace(home);
  const flows = await begin(home, demo, other);
  console.log('four days begin');
  await home.playUntil(INTERRUPTED);
  console.log('they are interrupted');
  await interrupt(home, writer, demo, other, flows);
}
