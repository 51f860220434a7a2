import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.javarosa.core.model.Constants;
import org.javarosa.core.model.FormDef;
import org.javarosa.core.model.FormIndex;
import org.javarosa.core.model.GroupDef;
import org.javarosa.core.model.QuestionDef;
import org.javarosa.core.model.SelectChoice;
import org.javarosa.core.model.condition.EvaluationContext;
import org.javarosa.core.model.condition.IFunctionHandler;
import org.javarosa.core.model.data.AnswerDataFactory;
import org.javarosa.core.model.data.BooleanData;
import org.javarosa.core.model.data.IAnswerData;
import org.javarosa.core.model.data.UncastData;
import org.javarosa.core.model.data.helper.AnswerDataUtil;
import org.javarosa.core.model.instance.FormInstance;
import org.javarosa.core.model.instance.InstanceInitializationFactory;
import org.javarosa.core.model.instance.TreeElement;
import org.javarosa.core.model.instance.TreeReference;
import org.javarosa.core.services.IPropertyManager;
import org.javarosa.core.services.PropertyManager;
import org.javarosa.core.services.properties.IPropertyRules;
import org.javarosa.form.api.FormEntryController;
import org.javarosa.form.api.FormEntryModel;
import org.javarosa.form.api.FormEntryPrompt;
import org.javarosa.model.xform.XFormsModule;
import org.javarosa.xform.util.XFormUtils;
import org.javarosa.xpath.expr.XPathFuncExpr;

/**
 * Fills in forms with JavaRosa as ODK Collect does. Reads commands, a line each with tabs between
 * their words, and answers each with lines that end with one of a dot:
 *
 * <pre>
 * load FILE           begins an entry of an XForm
 * answer PATH TEXT    gives an answer, whatever the form's constraints; empty TEXT clears
 * value PATH TEXT     puts a value where there is no question
 * add PATH            makes the repetition of that path, the one after the last
 * delete PATH         takes a repetition away
 * refresh             computes all anew, as when an entry is opened again
 * state               walks through the form and tells it
 * </pre>
 *
 * Lines of a state: `f path relevant required enabled constraint type value` for a field (y or n
 * each), `r path relevant` for a repetition, `c path name...` for the choices of a question that is
 * asked, `+ path` where people may add a repetition.
 */
public class Player {
    private final PrintStream out;
    private FormDef form;
    private FormEntryController controller;
    /** Where each part of the form was in the last walk, by its path. */
    private final Map<String, FormIndex> places = new HashMap<>();

    private Player(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        new XFormsModule().registerModule();
        PropertyManager.setPropertyManager(new NoProperties());
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        System.setOut(System.err);
        Player player = new Player(out);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = lines.readLine()) != null; ) {
            String[] words = line.split("\t", -1);
            for (int i = 0; i < words.length; i++) words[i] = unescape(words[i]);
            try {
                player.act(words);
            } catch (Throwable error) {
                error.printStackTrace();
                Throwable cause = error;
                while (cause.getCause() != null) cause = cause.getCause();
                String text = error.getClass().getSimpleName() + ": " + error.getMessage()
                    + (cause == error ? "" : " / " + cause.getMessage());
                out.println("!\t" + escape(text));
            }
            out.println(".");
            out.flush();
        }
    }

    private void act(String[] words) throws Exception {
        switch (words[0]) {
            case "load":
                form = XFormUtils.getFormFromInputStream(new FileInputStream(words[1]));
                controller = new FormEntryController(new FormEntryModel(form));
                for (String name : ELSEWHERE) form.getEvaluationContext().addFunctionHandler(new Nothing(name));
                form.initialize(true, new InstanceInitializationFactory());
                break;
            case "answer":
            case "value":
                set(words[1], words[2]);
                break;
            case "add":
                controller.newRepeat(places.get(words[1]));
                break;
            case "delete":
                controller.deleteRepeat(places.get(words[1]));
                break;
            case "refresh":
                form.initialize(false, new InstanceInitializationFactory());
                break;
            case "state":
                state();
                break;
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private void set(String path, String text) {
        TreeReference place = reference(path);
        TreeElement node = form.getMainInstance().resolveReference(place);
        IAnswerData value = null;
        if (!text.isEmpty()) {
            QuestionDef question = FormDef.findQuestionByRef(place.genericize(), form);
            int control = question == null ? Constants.CONTROL_UNTYPED : question.getControlType();
            value = AnswerDataFactory.template(control, node.getDataType()).cast(new UncastData(text));
        }
        form.setValue(value, place, true);
    }

    private static TreeReference reference(String path) {
        TreeReference place = TreeReference.rootRef();
        for (String step : path.substring(1).split("/")) {
            String[] parts = step.split("[\\[\\]]");
            place.add(parts[0], parts.length > 1 ? Integer.parseInt(parts[1]) - 1 : 0);
        }
        return place;
    }

    private void state() {
        walk();
        // What the walk has made and cleared counts: a second one tells.
        StringBuilder told = walk();
        tell(form.getMainInstance().getRoot(), "");
        out.print(told);
    }

    /** Goes through the form as people do, which makes repetitions that are counted. */
    private StringBuilder walk() {
        StringBuilder told = new StringBuilder();
        places.clear();
        FormEntryModel model = controller.getModel();
        controller.jumpToIndex(FormIndex.createBeginningOfFormIndex());
        int event;
        while ((event = controller.stepToNextEvent()) != FormEntryController.EVENT_END_OF_FORM) {
            FormIndex index = model.getFormIndex();
            String path = path(form.getChildInstanceRef(index));
            places.put(path, index);
            if (event == FormEntryController.EVENT_REPEAT && isSurplus(index)) {
                controller.deleteRepeat(index);
                return walk();
            }
            if (event == FormEntryController.EVENT_PROMPT_NEW_REPEAT) {
                told.append("+\t").append(escape(path)).append("\n");
            } else if (event == FormEntryController.EVENT_QUESTION) {
                FormEntryPrompt prompt = model.getQuestionPrompt();
                int control = prompt.getControlType();
                if (control != Constants.CONTROL_SELECT_ONE && control != Constants.CONTROL_SELECT_MULTI
                    && control != Constants.CONTROL_RANK) continue;
                String old = text(prompt.getAnswerValue());
                List<SelectChoice> choices = prompt.getSelectChoices();
                TreeElement node = form.getMainInstance().resolveReference(index.getReference());
                // JavaRosa takes away what cannot be chosen any more without computing what
                // depends on it; Collect does so when the answer is saved next.
                if (!old.equals(text(node.getValue()))) form.setValue(node.getValue(), index.getReference(), true);
                told.append("c\t").append(escape(path));
                for (SelectChoice choice : choices) told.append("\t").append(escape(choice.getValue()));
                told.append("\n");
            }
        }
        return told;
    }

    /** Where a count has fallen, JavaRosa keeps the repetitions beyond it. */
    private boolean isSurplus(FormIndex index) {
        GroupDef group = (GroupDef) form.getChild(index);
        if (group.getCountReference() == null) return false;
        TreeReference place = FormInstance.unpackReference(group.getCountReference())
            .contextualize(index.getReference());
        TreeElement node = form.getMainInstance().resolveReference(place);
        IAnswerData count = node == null ? null : node.getValue();
        return index.getTerminal().getInstanceIndex() >= (count == null ? 0 : AnswerDataUtil.answerDataToInt(count));
    }

    private static String text(IAnswerData value) {
        if (value == null) return "";
        if (value instanceof BooleanData) return value.getValue().toString();
        return value.uncast().getString();
    }

    private String path(TreeReference place) {
        StringBuilder path = new StringBuilder();
        TreeReference here = TreeReference.rootRef();
        for (int i = 0; i < place.size(); i++) {
            here.add(place.getName(i), place.getMultiplicity(i));
            path.append('/').append(place.getName(i));
            boolean isRepeat = i > 0 && form.getMainInstance().getTemplate(here) != null;
            if (isRepeat) path.append('[').append(place.getMultiplicity(i) + 1).append(']');
        }
        return path.toString();
    }

    private void tell(TreeElement node, String above) {
        if (node.getMult() == TreeReference.INDEX_TEMPLATE) return;
        boolean isRepeat = !above.isEmpty() && form.getMainInstance().getTemplate(node.getRef()) != null;
        String path = above + "/" + node.getName() + (isRepeat ? "[" + (node.getMult() + 1) + "]" : "");
        if (isRepeat) out.println("r\t" + escape(path) + "\t" + flag(node.isRelevant()));
        if (!node.isLeaf() || isRepeat) {
            for (int i = 0; i < node.getNumChildren(); i++) tell(node.getChildAt(i), path);
            return;
        }
        IAnswerData value = node.getValue();
        String text = text(value);
        String verdict = "y";
        if (node.isRelevant() && value != null) {
            try {
                verdict = flag(form.evaluateConstraint(node.getRef(), value));
            } catch (RuntimeException error) {
                verdict = "!";
            }
        }
        out.println("f\t" + escape(path) + "\t" + flag(node.isRelevant()) + "\t" + flag(node.isRequired())
            + "\t" + flag(node.isEnabled()) + "\t" + verdict + "\t" + node.getDataType() + "\t" + escape(text));
    }

    /** Functions that Collect or one server adds; nobody compares what depends on them. */
    private static final String[] ELSEWHERE = {
        "floor", "pulldata", "parse-timestamp-to-date", "difference-in-months", "difference-in-days", "add-date", "z-score", "to-bikram-sambat",
        "cht:difference-in-months", "cht:difference-in-days", "cht:difference-in-weeks",
        "cht:difference-in-years", "cht:extension-lib", "cht:strip-whitespace", "cht:validate-luhn"};

    private static class Nothing implements IFunctionHandler {
        private final String name;

        Nothing(String name) { this.name = name; }
        @Override public String getName() { return name; }
        @Override public List<Class[]> getPrototypes() { return new ArrayList<>(); }
        @Override public boolean rawArgs() { return true; }
        @Override public boolean realTime() { return false; }

        @Override public Object eval(Object[] arguments, EvaluationContext context) {
            // Of XPath 1.0, and in many forms, but not in JavaRosa.
            return name.equals("floor") ? (Object) Math.floor(XPathFuncExpr.toNumeric(arguments[0])) : "";
        }
    }

    /** A device of which nothing is known. */
    private static class NoProperties implements IPropertyManager {
        @Override public List<String> getProperty(String name) { return null; }
        @Override public void setProperty(String name, String value) { }
        @Override public void setProperty(String name, List<String> value) { }
        @Override public String getSingularProperty(String name) { return null; }
        @Override public void addRules(IPropertyRules rules) { }
        @Override public List<IPropertyRules> getRules() { return null; }
    }

    private static String flag(boolean is) {
        return is ? "y" : "n";
    }

    private static String escape(String text) {
        return String.valueOf(text).replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r");
    }

    private static String unescape(String text) {
        StringBuilder result = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (character == '\\') {
                character = text.charAt(++i);
                character = character == 'n' ? '\n' : character == 't' ? '\t' : character == 'r' ? '\r' : character;
            }
            result.append(character);
        }
        return result.toString();
    }
}
