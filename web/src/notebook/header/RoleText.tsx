import { Eye } from "lucide-react";
import { useMay } from "../state/role.js";
import styles from "./RoleText.module.css";

/** Tells users who may not edit the notebook about their role. */
export function RoleText() {
  const mayEdit = useMay("edit");
  const mayRun = useMay("run");
  if (mayEdit) return null;
  return (
    <span
      className={styles.role}
      title={mayRun ? "You may read this notebook and run its cells, but not change it" : "You may read this notebook, but neither change nor run it"}
    >
      <Eye aria-hidden />
      {mayRun ? "Read and run" : "Read only"}
    </span>
  );
}
