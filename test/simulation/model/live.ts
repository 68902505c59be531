import type { Life } from './any-life.ts';
import { deedsOf, heal } from './deeds.ts';
import { judge } from './judge-life.ts';
import { LifePlayer } from './life-player.ts';
import type { ModelWorld } from './model-world.ts';

const DAY = 86_400_000;

/**
 * Plays a life: three weeks in which its deeds are done, then all that holds people up is taken away, and the one who is under way
 * comes to an end. @returns all that was wrong with it, after what was done; nothing: all is well
 */
export async function live(world: ModelWorld, life: Life): Promise<string[]> {
  const player = await LifePlayer.begin(world, life);
  for (const one of player.all) one.mayCrash = life.crashes;
  if (life.faults === 'some') player.network.faults = { lost: 0.03, vanished: 0.03, unavailable: 0.05 };
  try {
    await player.play(life.start + 22 * DAY, deedsOf(player, life.deeds));
    const meanwhile = await judge(player, false);
    await heal(player);
    await player.play(life.start + 130 * DAY, []);
    const wrong = [...player.all.flatMap((one) => one.wrong), ...meanwhile, ...(await judge(player, true))];
    return wrong.length === 0 ? [] : [...new Set([...player.told, ...wrong])];
  } finally {
    await player.finish();
  }
}
