import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import org.javarosa.core.model.FormDef;
import org.javarosa.core.model.condition.EvaluationContext;
import org.javarosa.core.model.instance.InstanceInitializationFactory;
import org.javarosa.core.model.instance.TreeReference;
import org.javarosa.model.xform.XFormsModule;
import org.javarosa.xform.util.XFormUtils;
import org.javarosa.xpath.XPathParseTool;
import org.javarosa.xpath.expr.XPathFuncExpr;

/**
 * Evaluates expressions with JavaRosa. Reads lines of fields with tabs between them: `F form.xml`
 * loads a form with its answers, `E /data/visit[2]/age expression` evaluates for a field, and
 * answers with a line: `n bits`, `s text`, `b true`, `d milliseconds`, or `! reason`.
 */
public class Oracle {
    public static void main(String[] arguments) throws Exception {
        new XFormsModule().registerModule();
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        FormDef form = null;
        for (String line; (line = lines.readLine()) != null; ) {
            String[] fields = line.split("\t", -1);
            if (fields[0].equals("F")) {
                form = XFormUtils.getFormFromInputStream(new FileInputStream(fields[1]));
                form.initialize(true, new InstanceInitializationFactory());
            } else {
                out.println(evaluate(form, fields[1], fields[2]));
            }
        }
        out.flush();
    }

    private static String evaluate(FormDef form, String path, String expression) {
        try {
            TreeReference field = TreeReference.rootRef();
            for (String step : path.substring(1).split("/")) {
                String[] parts = step.split("[\\[\\]]");
                field.add(parts[0], parts.length > 1 ? Integer.parseInt(parts[1]) - 1 : 0);
            }
            EvaluationContext context = new EvaluationContext(form.getEvaluationContext(), field);
            Object value = XPathFuncExpr.unpack(
                XPathParseTool.parseXPath(unescape(expression)).eval(form.getMainInstance(), context));
            if (value instanceof Double) {
                return "n\t" + Long.toHexString(Double.doubleToLongBits((Double) value));
            }
            if (value instanceof Boolean) return "b\t" + value;
            if (value instanceof Date) return "d\t" + ((Date) value).getTime();
            return "s\t" + escape((String) value);
        } catch (Throwable error) {
            return "!\t" + escape(error.getClass().getSimpleName() + ": " + error.getMessage());
        }
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r");
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
