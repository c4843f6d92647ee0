package sample

const (
	quoted   = "none needed: a few numbers quoted from teaching material"
	truth    = "none needed: a truth table"
	computed = "none needed: made up by the generator"
	ccBy     = "CC BY 4.0"

	lab10    = "Pattern recognition systems, laboratory 10: Linear classifiers and the perceptron algorithm"
	siegen   = `M. Grzegorzek, lecture "Linear Classifiers", University of Siegen`
	ds3      = "J. Wortman Vaughan, Classification and the perceptron algorithm, DS3 2015"
	handout7 = "M. Gales, Module 4F10 handout 7: Single layer perceptron and estimating linear classifiers, University of Cambridge 2015"
	optical  = "E. Alpaydin, C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository 1998 (its test part), made black and white as in: " + ds3
)

// All is the one list of built-in sets. Where a document says which class is
// the positive one, so does the set.
var All = []Sample{
	{Name: "points00", Doc: "five points, red against blue", Source: lab10, Licence: quoted, Open: lines("points00.txt", "red")},
	{Name: "slide", Doc: "the two wrong points of one gradient step", Source: siegen, Licence: quoted, Open: lines("slide.txt", "class1")},
	{Name: "handout", Doc: "eight points in two classes", Source: handout7, Licence: quoted, Open: lines("handout.txt", "class1")},
	{Name: "weak", Doc: "three points, separable only with a point on the plane: the perceptron that takes 0 for positive never ends", Source: "this project, on " + ds3, Licence: quoted, Open: stored("libsvm", "weak.svm", "1")},

	{Name: "and", Doc: "x1 AND x2", Source: handout7, Licence: truth, Open: gate("and.csv")},
	{Name: "or", Doc: "x1 OR x2", Source: handout7, Licence: truth, Open: gate("or.csv")},
	{Name: "nand", Doc: "not (x1 AND x2)", Source: handout7, Licence: truth, Open: gate("nand.csv")},
	{Name: "nor", Doc: "not (x1 OR x2)", Source: handout7, Licence: truth, Open: gate("nor.csv")},
	{Name: "xor", Doc: "x1 XOR x2: no line separates it", Source: handout7, Licence: truth, Open: gate("xor.csv")},

	{Name: "digits35", Doc: "handwritten threes and fives, 8×8 pixels, black 1 and white -1", Source: optical, Licence: ccBy, Open: lines("digits35.txt", "three")},
	{Name: "digits35-test", Doc: "more of them, to test on", Source: optical, Licence: ccBy, Open: lines("digits35-test.txt", "three")},
	{Name: "iris", Doc: "three kinds of iris flowers by the size of their leaves", Source: "R. A. Fisher 1936, Iris, UCI Machine Learning Repository, with the two known typing errors corrected", Licence: ccBy, Open: stored("csv", "iris.csv", "")},
	{Name: "sms", Doc: "text messages, spam or ham", Source: "T. Almeida, J. M. Gómez Hidalgo, SMS Spam Collection, UCI Machine Learning Repository 2012", Licence: ccBy, Open: stored("text", "sms.txt.gz", "spam")},

	separable,
	gauss,
	xorCloud,
	rings,
}
