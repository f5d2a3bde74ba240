import { ArrowLeft } from "lucide-react";
import { Link } from "../../routing/Link.js";
import { dashboard } from "../../routing/route.js";
import { VisuallyHidden } from "../../ui/VisuallyHidden.js";
import { useMay } from "../state/role.js";
import { AddButton } from "./AddButton.js";
import { Failures } from "./Failures.js";
import styles from "./Header.module.css";
import { MoreMenu } from "./MoreMenu.js";
import { People } from "./People.js";
import { RoleText } from "./RoleText.js";
import { RunButton } from "./RunButton.js";
import { RuntimeMenu } from "./RuntimeMenu.js";
import { SaveStatusText } from "./SaveStatusText.js";
import { Title } from "./Title.js";
import { VariablesButton } from "./VariablesButton.js";

/** The header of the page: title, save status, people, and actions on the whole notebook. */
export function Header() {
  const mayRun = useMay("run");
  const mayEdit = useMay("edit");
  return (
    <header className={styles.header}>
      <Link to={dashboard()} className={styles.back} title="All notebooks">
        <ArrowLeft aria-hidden />
        <VisuallyHidden>All notebooks</VisuallyHidden>
      </Link>
      <div className={styles.what}>
        <Title />
        <SaveStatusText />
      </div>
      <People />
      <div className={styles.tools}>
        <RoleText />
        <Failures />
        {mayRun && <RuntimeMenu />}
        <div className={styles.wide}>
          <VariablesButton />
          {mayEdit && <AddButton />}
          {mayRun && <RunButton />}
        </div>
        <MoreMenu />
      </div>
    </header>
  );
}
