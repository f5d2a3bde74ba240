import { Connection } from "./Connection.js";
import { Refusals } from "./Refusals.js";

/** What one should know of the connection and of what was refused. None of it is in the way. */
export function Notices() {
  return (
    <>
      <Connection />
      <Refusals />
    </>
  );
}
