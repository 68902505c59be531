/**
 * SQL: `limits` of an account with so many mails a day, and the default where that is null; what else it holds stays.
 * @param param parameter of the statement that holds the mails a day
 */
export function limitsWithMailDay(param: `$${number}`): string {
  return `case
         when ${param}::int is null then limits #- '{mail,day}'
         else limits || jsonb_build_object(
           'mail', coalesce(limits -> 'mail', '{}') || jsonb_build_object('day', ${param}::int)
         )
       end`;
}
