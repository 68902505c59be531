/**
 * What functions of the schema tell Postgres' planner, and why. A function names its profile among its attributes
 * (`-- planner: by_index`); {@link withProfiles} puts the settings there when the function is applied, so `\sf` in psql
 * shows them. A function without a profile takes the settings of its caller.
 */
const PROFILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  /**
   * Rows are found by index, one after the other. Batches of up to 2,000 keys look to the planner like a reason to read or to
   * hash a whole table, which grows by the minute and is never worth it. Such plans do not depend on the keys, so they are
   * made once: making one takes longer than a small batch.
   */
  by_index: {
    enable_seqscan: 'off',
    enable_bitmapscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    plan_cache_mode: 'force_generic_plan',
  },
  /**
   * As by_index, where a batch is also joined with other sets that are only in memory (what stops it, the old rows of a
   * trigger): these by hash, or each row would be compared with each.
   */
  by_hash: {
    enable_seqscan: 'off',
    enable_bitmapscan: 'off',
    enable_hashjoin: 'on',
    enable_mergejoin: 'off',
  },
  /**
   * Every plan is open and made for these very values: batches of one and of 1,500 rows want different joins, and the work per
   * row outweighs the planning.
   */
  by_size: {
    enable_seqscan: 'on',
    enable_bitmapscan: 'on',
    enable_hashjoin: 'on',
    enable_mergejoin: 'on',
    plan_cache_mode: 'force_custom_plan',
  },
  /**
   * Searches walk along an index in the order of the answer and stop when the page is full. A sort or a whole scan would look
   * at every row first; compiling and parallel workers cost more than a page takes.
   */
  in_order: {
    enable_seqscan: 'off',
    enable_sort: 'off',
    random_page_cost: '1.1',
    jit: 'off',
    max_parallel_workers_per_gather: '0',
  },
};

/** Of a function's attributes, or of a body that sets a profile for the rest of the transaction. */
const MARKER = /^([ ]*)-- planner: (\w+)( for the transaction)?$/gm;

/**
 * The text of a function with the settings of the profile that it names.
 * @throws Error when there is no profile of that name
 */
export function withProfiles(sql: string): string {
  return sql.replace(MARKER, (_marker, indent: string, name: string, transaction: string | undefined) => {
    const profile = PROFILES[name];
    if (!profile) throw new Error(`there is no planner profile "${name}" (pkg/store/planner-profiles.ts)`);
    const settings = Object.entries(profile);
    if (transaction === undefined) return settings.map(([key, value]) => `${indent}set ${key} = ${value}`).join('\n');
    return `${indent}perform ${settings.map(([key, value]) => `set_config('${key}', '${value}', true)`).join(', ')};`;
  });
}
