/**
 * How much longer than usual tests wait before they give up, as `PATIENCE` says: 1 on a developer's machine, more where
 * the machine is slow or shared. No test is slower for it, and none passes by it that should fail.
 */
export function patience(): number {
  const { PATIENCE: given } = process.env;
  return Math.min(20, Math.max(1, Number(given) || 1));
}
