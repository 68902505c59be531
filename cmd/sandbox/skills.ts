import { createHash } from 'node:crypto';
import type { World } from './world.ts';

const SKILLS = ['Operations', 'Sales', 'Hiring', 'Strategy', 'Writing', 'Analysis', 'Design', 'Planning'];

/** Skills of a profile as an account sees them. */
export function skillsOf(world: World, accountId: string, publicId: string): object[] {
  const count = world.behaviour(publicId).skills;
  const mine = world.store.all<{ skill: number }>(
    'select skill from endorsement where account_id = ? and public_id = ?',
    accountId,
    publicId,
  );
  const endorsed = new Set(mine.map((row) => row.skill));
  return Array.from({ length: count }, (_none, index) => {
    const id = skillId(publicId, index);
    return {
      name: `${SKILLS[index % SKILLS.length]}${index < SKILLS.length ? '' : ` ${index}`}`,
      endorsement_count: endorsed.has(id) ? 1 : 0,
      endorsement_id: id,
      endorsed: endorsed.has(id),
    };
  });
}

/** By which a skill of a profile is endorsed. */
export function skillId(publicId: string, index: number): number {
  return createHash('sha256').update(`${publicId}/${index}`).digest().readUInt32BE(0);
}
